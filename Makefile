# Every command makes .venv and installs what it needs, once. It asks for Python 3.11 or newer,
# make, and the package registries. The work itself is in tools/.

PORT ?= 8000
# Another Python than the one found first: make site PYTHON=/path/to/python3
export PYTHON
PY := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help site html test lab notebooks fifty bench bench-page downloads clean

help:
	@echo "make site       build the book and serve it on this machine (another port: PORT=8001)"
	@echo "make lab        open the notebooks in JupyterLab"
	@echo "make test       check everything"
	@echo "make html       build the book into _build/html, and serve nothing"
	@echo "make notebooks  run all notebooks again and store their outputs"
	@echo "make fifty      run all notebooks 50 times, and count outputs that differ"
	@echo "make bench      measure the engine against two others"
	@echo "make bench-page measure Python in the page"
	@echo "make downloads  make the whole book as PDF and EPUB, and put both into the site"
	@echo "make clean      remove what these commands made"

site: .venv/site.done
	@$(PY) tools/site.py serve --port $(PORT)

html: .venv/site.done
	@$(PY) tools/site.py build

# The notebooks are the tree's own, so their stored outputs are trusted. What that signs stays in .venv.
# The root is the tree, since chapters link to pages of the book; tools/lab shows those as pages.
lab: export JUPYTER_DATA_DIR := $(CURDIR)/.venv/jupyter
lab: export JUPYTER_CONFIG_PATH := $(CURDIR)/tools/lab
lab: .venv/learn.done
	@.venv/bin/jupyter trust notebooks/*.ipynb >/dev/null
	@.venv/bin/jupyter lab --notebook-dir=. --LabApp.default_url=/lab/tree/notebooks/p1_derivatives.ipynb \
		$(if $(filter 0,$(shell id -u)),--allow-root)

notebooks: .venv/learn.done
	@$(PY) tools/notebooks.py

fifty: .venv/test.done
	@$(PY) tools/fifty.py

bench: .venv/learn.done
	@$(PY) tools/bench.py

downloads: .venv/test.done
	@$(PY) tools/downloads.py
	@$(PY) tools/site.py build

bench-page: .venv/test.done
	@$(PY) tools/bench_page.py

test: .venv/test.done
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy micrograd_src
	@$(PY) -m pytest

clean:
	rm -rf .venv _build node_modules .cache

# Files that say "this set is installed". They are newer than what they were made from, or made anew.
.venv/site.done: requirements-site.txt
	@sh tools/setup.sh site

.venv/learn.done: requirements-site.txt requirements.txt pyproject.toml
	@sh tools/setup.sh learn

.venv/test.done: requirements-site.txt requirements.txt requirements-test.txt pyproject.toml
	@sh tools/setup.sh test
