# Everything starts here: `make chat` to play, `make test` to check. PYTHON chooses the interpreter.
PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: chat setup test test-slow check bench bench-chat bench-discord

chat: setup
	@$(VENV)/bin/farkle chat

setup: $(VENV)/installed

test: $(VENV)/installed-test
	@$(VENV)/bin/python -m pytest

# What takes minutes: presets at or near full size, checked in every state and played
test-slow: $(VENV)/installed-test
	@$(VENV)/bin/python -m pytest -m slow

# Speed and memory against their limits; ARGS=--quick leaves out what takes long
bench: $(VENV)/installed-test
	@$(VENV)/bin/python -m tests.bench $(ARGS)

# Many games in one chat at once; ARGS="--data data" where the rules are solved already
bench-chat: $(VENV)/installed-test
	@$(VENV)/bin/python -m tests.bench_chat $(ARGS)

# The same by buttons at a Discord on this machine
bench-discord: $(VENV)/installed-test
	@$(VENV)/bin/python -m tests.bench_discord $(ARGS)

# Lint, types and import contracts
check: $(VENV)/installed-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

$(VENV)/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; choose another as in: make chat PYTHON=python3.12")'
	@echo "Setting up $(VENV), once; this takes a minute ..." >&2
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --editable .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	@$(PIP) --editable '.[test]'
	@touch $@
