# `make` checks everything, `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

.DEFAULT_GOAL := check
.PHONY: help check lint fmt test test-all test-deep test-faults test-postgres test-pythons test-agents test-adapters test-browser fuzz golden generate bench bench-compaction bench-peers demo docs dist test-install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: lint test ## everything that must pass before a commit (default)

lint: $(READY) ## format, ruff, mypy (Linux, macOS), import layers
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin
	$(BIN)/lint-imports

fmt: $(READY) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --quiet --fix-only .

test: $(READY) ## the tests: LENGTH=medium as in CI; TESTS=tests/sync
	$(PYTEST) $(TESTS)

test-all: $(READY) ## all at length, a process a command; TESTS=tests/mutants
	LENGTH=long FAULTS=$(or $(FAULTS),medium) $(PYTEST) -m "slow or not slow" --processes $(TESTS)

test-deep: $(READY) ## laws, compaction, sync and rescues at length (nightly)
	HYPOTHESIS_EXAMPLES=2500 HYPOTHESIS_PROFILE=deep $(PYTEST) \
	  tests/talk/send/test_payload.py tests/session/test_ops.py tests/session/test_session_view.py \
	  tests/session/test_state_machine.py tests/session/test_by_reference.py
	LENGTH=long SYNCS=$(or $(SYNCS),12000) $(PYTEST) tests/filters tests/talk/send tests/sync
	TMPDIR=$(or $(wildcard /dev/shm),$(TMPDIR),/tmp) RESCUES=$(or $(RESCUES),10000) $(PYTEST) tests/commands/test_rescue.py

test-faults: $(READY) ## kill -9, full disks, signals, many writers: FAULTS=long
	FAULTS=$(or $(FAULTS),medium) $(PYTEST) tests/faults

test-postgres: $(READY) ## sessions in Postgres: all golden cases, faults, speed
	LENGTH=long FAULTS=$(or $(FAULTS),long) $(PYTEST) -m "slow or not slow" tests/postgres tests/store/postgres tests/store/test_store_protocol.py tests/base/test_base_postgres.py
	$(BIN)/python tests/postgres/speed.py

test-pythons: $(READY) ## a sample on Python 3.11 to 3.14: PYTHONS=newest
	bash tests/pythons.sh $(PYTHONS)

test-agents: $(READY) .agents/.ready ## other programs resume sessions (npm): ARGS=--record
	PYTHONPATH=tests/helpers $(BIN)/python tests/programs/agents/run.py $(ARGS)

test-adapters: .adapters/.ready ## the adapters with their packages (installs 600 MB)
	.adapters/bin/python -m pytest -q -n auto tests/adapters

test-browser: $(READY) ## pages in Chromium, axe-core (npm): ARGS=pictures
	$(BIN)/python tests/browser/run.py $(or $(ARGS),check)

fuzz: $(READY) ## search for input that breaks a promise: MINUTES=10
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python tests/fuzz/run.py $(or $(MINUTES),10)

golden: $(READY) ## rewrite what tests expect, then review `git diff`
	@git diff --quiet HEAD -- tests/cases tests/jobs fixtures || { \
	  echo "tests/cases or fixtures have uncommitted changes: commit them first" >&2; exit 1; }
	$(BIN)/python -m pytest -n auto --golden tests/test_cases.py tests/docs/test_readme_jobs.py tests/commands/test_fixture.py tests/programs/test_agents.py tests/programs/test_written.py tests/docs/test_man_page.py tests/docs/test_demo.py tests/docs/test_stability.py

generate: $(READY) ## write man page, completions, casts, types and prices
	PYTHONPATH=tests/helpers $(BIN)/python tests/helpers/man_page.py
	PYTHONPATH=tests/helpers $(BIN)/python tests/helpers/completions.py
	PYTHONPATH=tests/helpers $(BIN)/python tests/helpers/casts.py
	PYTHONPATH=tests/helpers $(BIN)/python tests/library/api.py
	$(BIN)/python tests/tokens/price_table.py
	PYTHONPATH=tests/helpers $(BIN)/python tests/summaries/weights.py

bench: $(READY) ## speed, as ratios within one run
	$(BIN)/python tests/bench/run.py

bench-compaction: $(READY) ## what compaction keeps, beside plain windows (5 minutes)
	$(BIN)/python tests/bench/compaction.py
	$(BIN)/python tests/bench/compaction_again.py $(COMPACTBENCH)

bench-peers: .peers/.ready ## beside llm, jq and public trimmers (installs 500 MB)
	PATH="$(CURDIR)/.peers/bin:$$PATH" PYTHONPATH=tests/helpers .peers/bin/python tests/bench/peers.py

demo: $(VENV)/.installed ## the main job against a local server: no key, no network
	PATH="$(CURDIR)/$(BIN):$$PATH" bash tests/demo.sh

docs: .docs/.ready ## the documentation as a site in site/, links checked
	NO_MKDOCS_2_WARNING=1 .docs/bin/mkdocs build --strict

dist: .dist/.ready ## wheel and sdist in dist/, built twice and checked
	.dist/bin/python tests/packaging/build.py

test-install: dist ## the wheel by pip, pipx and uv, in empty homes
	.dist/bin/python tests/packaging/install.py $(ARGS)

clean: ## remove what these targets made
	rm -rf $(VENV) dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .pythons .agents .adapters .dist .docs .peers .browser .node .go

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed: pyproject.toml # the program alone, without what develops it
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.adapters/.ready: pyproject.toml
	$(PYTHON) -m venv .adapters
	.adapters/bin/pip install --quiet --disable-pip-version-check --editable '.[adapters]'
	@touch $@

.peers/.ready: pyproject.toml
	$(PYTHON) -m venv .peers
	.peers/bin/pip install --quiet --disable-pip-version-check --editable '.[peers]'
	@touch $@

.docs/.ready: pyproject.toml
	$(PYTHON) -m venv .docs
	.docs/bin/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

.dist/.ready: pyproject.toml
	$(PYTHON) -m venv .dist
	.dist/bin/pip install --quiet --disable-pip-version-check '.[dist]'
	@touch $@

.agents/.ready: tests/programs/agents/package.json tests/programs/agents/package-lock.json tests/programs/agents/older/package.json
	@mkdir -p .agents/older
	cp tests/programs/agents/package*.json .agents
	cp tests/programs/agents/older/package.json .agents/older
	npm install --prefix .agents --no-save --no-audit --no-fund --loglevel=error
	npm install --prefix .agents/older --no-save --no-audit --no-fund --loglevel=error
	@touch $@
