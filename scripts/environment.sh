#!/bin/sh
# Make a virtual environment in $1. Debian splits venv off its python3: install it when root.
set -eu
folder=$1
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "capital_kit needs Python 3.11 or newer; this is $("$python" --version). Set PYTHON=…" >&2
    exit 2
fi
if ! "$python" -c 'import ensurepip' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -y -qq python3-venv
    else
        echo "This python3 has no venv. Install it: apt-get install python3-venv" >&2
        exit 2
    fi
fi
[ -x "$folder/bin/python" ] || "$python" -m venv "$folder"
# Dependency groups need pip 25.1, newer than what Python 3.11 brings.
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
