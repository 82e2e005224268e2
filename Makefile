# Everything starts here: `make chat` or `make web` to play, `make test` to check. PYTHON chooses the interpreter.
PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# Compiled Python is kept: some environments forbid it, and then every start compiles all again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: dist chat web setup test test-slow compiled check lint types contracts wording messages nemesis bench \
	bench-chat bench-cluster bench-discord bench-processes bench-worst

chat: setup
	@$(VENV)/bin/farkle chat

# Pages to ask, explore and play at http://127.0.0.1:8000, until Ctrl-C
web: setup
	@$(VENV)/bin/farkle web

setup: $(VENV)/installed

test: $(VENV)/installed-test
	@$(VENV)/bin/python -m pytest --numprocesses auto --dist worksteal

# What takes minutes: presets at or near full size, checked in every state and played
test-slow: $(VENV)/installed-test
	@$(VENV)/bin/python -m pytest -m slow --numprocesses auto --dist worksteal

# The kernels that all tests need, which a run of tests else compiles before its first one
compiled: $(VENV)/installed-test
	@$(VENV)/bin/python -m tests.compiled

# Speed and memory against their limits: the solver, starts of the program, a Dask cluster and the
# Discord bot; ARGS=--quick leaves out what takes long. What was measured is kept:
# $(VENV)/bin/python -m tests.benchmarks.history --out history.png draws it
bench: $(VENV)/installed-test
	@broken=0; for part in solver starts cluster discord; do \
		$(VENV)/bin/python -m tests.benchmarks.$$part $(ARGS) || broken=1; done; exit $$broken

# Many games in one chat at once; ARGS="--data data" where the rules are solved already
bench-chat: $(VENV)/installed-test
	@$(VENV)/bin/python -m tests.benchmarks.chat $(ARGS)

# Many games by buttons at a Discord on this machine, and a bare bot there; ARGS="--games 200 500"
bench-discord: $(VENV)/installed-test
	@$(VENV)/bin/python -m tests.benchmarks.discord $(ARGS)

# One, two and four programs that answer Discord's requests, on PostgreSQL, and replaced under load
bench-processes: $(VENV)/installed-test
	@$(VENV)/bin/python -m tests.benchmarks.processes $(ARGS)

# An evening of games while programs, Discord, the database, the disk and the clock fail, ten minutes on each
# kind of database; ARGS="--database sqlite --seconds 60". All that people saw is held against what is stored
nemesis: $(VENV)/installed-test
	@$(VENV)/bin/python -m tests.nemesis $(ARGS)

# A catalogue by four workers of a Dask cluster on this machine, and by as many processes without it
bench-cluster: $(VENV)/installed-test
	@$(VENV)/bin/python -m tests.benchmarks.cluster $(ARGS)

# What one member can cost the others who play
bench-worst: $(VENV)/installed-test
	@$(VENV)/bin/python -m tests.benchmarks.worst_member $(ARGS)

# Collects the sentences of the chat for its translators: what is new is empty in the catalogues
messages: $(VENV)/installed-test
	@$(VENV)/bin/python -m babel.messages.frontend -q extract --mapping=pyproject.toml --keywords=say --keywords=say_later --keywords=say_number:1,2 \
		--no-default-keywords --add-location=file --omit-header --output=$(VENV)/messages.pot bot solver data/rules
	@for language in bot/catalogues/*.po; do $(VENV)/bin/pybabel -q update --no-fuzzy-matching \
		--ignore-obsolete --ignore-pot-creation-date --width=100 --input-file=$(VENV)/messages.pot \
		--output-file=$$language --locale=$$(basename $$language .po); done

# All of a release in dist/: wheel, sources, what is in them, licences and checksums
dist: $(VENV)/installed-test
	@$(VENV)/bin/python packaging/dist.py

# Lint, types, import contracts and the wording of docstrings; `make --jobs 2 check` on two processors
check: types lint contracts wording

types: $(VENV)/installed-test
	$(VENV)/bin/mypy

lint: $(VENV)/installed-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

contracts: $(VENV)/installed-test
	$(VENV)/bin/lint-imports

wording: $(VENV)/installed-test
	$(VENV)/bin/python -m tests.wording

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; choose another as in: make chat PYTHON=python3.12")'
	@echo "Setting up $(VENV), once; this takes a minute ..." >&2
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(PIP) --editable .
	@touch $@

# has all that the program needs, which is not installed before by itself
$(VENV)/installed-test: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(PIP) --editable '.[test]'
	@touch $(VENV)/installed $@
