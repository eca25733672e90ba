# make book   the executed book          make lab           the chapters in JupyterLab
# make serve  the book, on this machine  make browser-test  the tests in a real Chromium
# make test   every test without browser make clean         forget everything built
# Each target makes the environment that it needs.

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
NODE_MODULES := book/browser/node_modules
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: book serve test lab browser-test clean
.DELETE_ON_ERROR:

book: .venv/book $(NODE_MODULES)/ready
	KVLIB_STATIC=1 $(BIN)/jupyter-book build . -W -n --keep-going --all
	@echo "make serve shows the book with its forms live. Opened from disk it is complete, and they rest:"
	@echo "  $(CURDIR)/_build/html/index.html"

serve:
	@test -f _build/html/index.html || $(MAKE) book
	@$(PYTHON) -c "import socket; socket.create_server(('127.0.0.1', $(PORT)))" 2>/dev/null || \
	  { echo "Port $(PORT) is not to be had: choose another, as in make serve PORT=8123." >&2; exit 1; }
	@echo "The book is at http://127.0.0.1:$(PORT)/ until Ctrl-C."
	@$(PYTHON) -m http.server --bind 127.0.0.1 --directory _build/html $(PORT) >/dev/null 2>&1

test: .venv/book $(NODE_MODULES)/ready
	$(BIN)/python -m pytest -n auto --dist loadfile

lab: .venv/lab
	$(BIN)/jupyter lab book/1_bytes.ipynb

browser-test: .venv/browser $(NODE_MODULES)/ready
	test -d _build/html || $(MAKE) book
	$(BIN)/python -m pytest -rs -m browser tests/browser

clean:
	rm -rf .venv _build $(NODE_MODULES) .pytest_cache .ruff_cache .hypothesis

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/book: requirements.txt pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet -r requirements.txt
	@touch $@

.venv/lab: .binder/requirements.txt .venv/book
	$(BIN)/python -m pip install --quiet -r .binder/requirements.txt
	@touch $@

.venv/browser: tests/browser/requirements.txt .venv/lab
	$(BIN)/python -m pip install --quiet -r tests/browser/requirements.txt
	@touch $@

# After .venv/book, for a new .venv has lost the Node.js that may have been in it.
$(NODE_MODULES)/ready: .venv/book \
  $(addprefix book/browser/,package.json package-lock.json .npmrc fetch.sh)
	@sh book/browser/fetch.sh
	@touch $@
