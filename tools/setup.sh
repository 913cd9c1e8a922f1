#!/bin/sh
# Make .venv, and install one set of packages into it:  tools/setup.sh site|learn|test
# Whatever fails says so in one line, and leaves nothing behind that would confuse the next try.
set -u
cd "$(dirname "$0")/.."
what=$1
log=_build/install.log
mkdir -p _build

fail() {
    echo "Error: $1" >&2
    exit 1
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        new_enough "$PYTHON" && echo "$PYTHON"
        return
    fi
    for name in python3 python3.14 python3.13 python3.12 python3.11 python; do
        new_enough "$name" && echo "$name" && return
    done
}

# A folder whose Python no longer runs, because it was moved or upgraded away, is as good as none.
if ! new_enough .venv/bin/python; then
    python=$(find_python)
    [ -n "$python" ] || fail "${PYTHON:-python3} is not a Python 3.11 or newer. Install one, or name another: PYTHON=/path/to/python3 after the make command."
    rm -rf .venv
    echo "Making .venv with $("$python" -V) …"
    "$python" -m venv .venv >"$log" 2>&1 || {
        rm -rf .venv
        fail "$python cannot make a virtual environment (see $log). On Debian and Ubuntu: apt-get install python3-venv"
    }
fi

case $what in
    site) set -- -r requirements-site.txt ;;
    learn) set -- -r requirements.txt -e . ;;
    test) set -- -r requirements-test.txt -e . ;;
esac
echo "Installing what is needed, once. This takes a few minutes …"
if ! .venv/bin/python -m pip install --disable-pip-version-check --retries 2 "$@" >"$log" 2>&1; then
    # An environment in which nothing was ever finished is half a one.
    ls .venv/*.done >/dev/null 2>&1 || rm -rf .venv
    fail "the packages cannot be installed. Check the network and try again (pip's own words are in $log)."
fi
rm -f "$log"
touch ".venv/$what.done"
