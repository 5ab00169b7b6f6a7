#!/bin/sh
# The browser tests use an installed Chrome or Chromium; where there is none, root installs Debian's.
set -eu
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null && found=$name && break
done
if [ -z "${found:-}" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -y -qq chromium fonts-noto-cjk
    else
        echo "The browser tests need Chrome or Chromium. Install it: apt-get install chromium fonts-noto-cjk" >&2
        exit 2
    fi
fi
