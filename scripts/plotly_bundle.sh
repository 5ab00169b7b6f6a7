#!/bin/sh
# Bring the finance bundle of plotly.js, which reports carry instead of the full one (1.3 of 4.8 MB).
# It is pinned by its digest. Without npm or without network the full bundle of plotly.py serves.
set -eu
file=capital_kit/charts/static/plotly-finance.min.js
package=plotly.js-finance-dist-min@4.1.0
digest=9993f6d57ffd52d7417a9e89b666679ff69078e7c2816b43ab9ecdea9fa4709d

holds() { [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$digest" ]; }

if holds "$file"; then exit 0; fi
rm -f "$file"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if command -v npm >/dev/null && npm pack "$package" --silent --pack-destination "$folder" >/dev/null 2>&1; then
    tar -xzf "$folder"/*.tgz -C "$folder" package/plotly-finance.min.js
    if holds "$folder/package/plotly-finance.min.js"; then
        # Renamed into place, so that nobody sees half of it.
        cp "$folder/package/plotly-finance.min.js" "$file.part" && mv "$file.part" "$file"
        exit 0
    fi
    echo "$package is not the file that was pinned; it is not used." >&2
fi
echo "Reports will carry the full plotly.js: the finance bundle could not be fetched." >&2
