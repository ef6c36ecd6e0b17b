# Every target makes what it needs: a virtual environment in .venv with everything from
# pyproject.toml, again only when that file has changed. ARGS goes to the program behind a
# target: make up ARGS="--port 7800", make test ARGS="-k resume".

PY ?= python3
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
ORACLES := $(VENV)/.oracles

.PHONY: help up demo test check format bench proto soak venv clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 10

up: $(INSTALLED) ## the whole hall on this machine; Ctrl-C stops it
	@$(BIN)/paiju up $(ARGS)

demo: $(INSTALLED) ## a hall in which bots play for a while, and what happened
	@$(BIN)/paiju demo $(ARGS)

test: $(INSTALLED) ## all tests, in parts, with the seconds of each
	@$(BIN)/python scripts/test.py $(ARGS)

check: $(INSTALLED) ## format, lint, types, import rules, generated code
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --verbose > $(VENV)/lint-imports.log || { cat $(VENV)/lint-imports.log; exit 1; }
	$(BIN)/python scripts/proto.py --check
	$(BIN)/python scripts/vendor.py --check

format: $(INSTALLED) ## put all code into the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(ORACLES) ## an idle hall (ready, memory); an action part by part; tables; the seal; the rules, beside others
	@$(BIN)/python scripts/bench_idle.py $(ARGS)
	@$(BIN)/python scripts/bench_budget.py
	@$(BIN)/python scripts/bench_tables.py
	@$(BIN)/python scripts/bench_sealed.py
	@$(BIN)/python scripts/bench_rules.py --write

proto: $(INSTALLED) ## generate paiju/wire/v1 from proto/
	$(BIN)/python scripts/proto.py

soak: $(ORACLES) ## the long runs that `make test` leaves out
	@$(BIN)/python scripts/test.py --soak $(ARGS)

venv: $(INSTALLED) ## only the virtual environment

# Without the stamp the environment is taken as half made, and pip finishes it.
$(INSTALLED): pyproject.toml
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; this is $$($(PY) --version). Choose another: make PY=python3.11 ..." >&2; exit 1; }
	@test -x $(BIN)/python && $(BIN)/python -m pip --version > /dev/null 2>&1 || { \
		echo "making $(VENV) ..."; \
		rm -rf $(VENV); \
		$(PY) -m venv $(VENV) || { echo "Python cannot make virtual environments here; on Debian: apt-get install python3-venv" >&2; exit 1; }; }
	@echo "installing what pyproject.toml names (about a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --root-user-action=ignore --editable '.[test]'
	@touch $@

# Independent programs that benches and soak compare with; both say what is missing.
$(ORACLES): $(INSTALLED)
	@echo "installing the programs to compare with ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --root-user-action=ignore --editable '.[oracles]' \
		&& touch $@ || echo "they cannot be installed here; going on without" >&2

clean: ## remove the virtual environment and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
