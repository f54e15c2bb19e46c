# `make` checks everything, `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := check
.PHONY: help check fmt fmt-check lint types rooms test test-faults test-postgres test-pythons test-newest-python test-mutants test-compaction test-sync test-rescue test-agents test-adapters test-browser screenshots agents test-all test-deep fuzz golden prices man bench bench-compaction bench-stores demo clean

help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: fmt-check lint types rooms test ## everything below down to `test` (default)

fmt-check: $(READY) ## is the code formatted?
	$(BIN)/ruff format --check --quiet .

lint: $(READY) ## ruff, nearly all rules
	$(BIN)/ruff check --quiet .

types: $(READY) ## mypy --strict, also for macOS: are the names there that Linux has?
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin

rooms: $(READY) ## imports go down only
	$(BIN)/lint-imports

test: $(READY) ## the tests, of what takes long a sample; with LENGTH=medium what CI runs
	$(BIN)/python -m pytest -n auto --dist worksteal

test-faults: $(READY) ## kill -9, full disks, signals, many writers: the table of docs/reliability.md (FAULTS=long)
	FAULTS=$(or $(FAULTS),medium) $(BIN)/python -m pytest -q -n auto tests/faults

test-postgres: $(READY) ## sessions in Postgres: all golden cases, and its faults at length
	LENGTH=long FAULTS=$(or $(FAULTS),long) $(BIN)/python -m pytest -q -n auto -m "slow or not slow" tests/postgres tests/store/postgres tests/store/test_store_protocol.py tests/store/test_on_server.py tests/base/test_base_postgres.py tests/blocks/test_blocks_postgres.py
	$(BIN)/python tests/postgres/speed.py

test-pythons: $(READY) ## a sample on each other Python from 3.11 to 3.14 that is here or that Debian carries
	bash tests/pythons.sh

test-newest-python: $(READY) ## the same on the newest of them alone
	bash tests/pythons.sh newest

test-all: $(READY) ## the tests, the slow ones too, and at greater length, and the program started anew for each of its runs
	LENGTH=long FAULTS=$(or $(FAULTS),medium) $(BIN)/python -m pytest -n auto --dist worksteal -m "slow or not slow" --processes

test-compaction: $(READY) ## every recorded conversation compacted at every budget, and the laws of compaction and payloads (LENGTH=long)
	LENGTH=$(or $(LENGTH),long) $(BIN)/python -m pytest -q -n auto --dist worksteal tests/filters tests/send

test-sync: $(READY) ## thousands of histories on two to four machines, synced in any order: SYNCS=12000
	SYNCS=$(or $(SYNCS),12000) $(BIN)/python -m pytest -q -n auto tests/sync

test-mutants: $(READY) ## small faults in the source, each of which a test must catch
	$(BIN)/python -m pytest -q -n auto -m "slow or not slow" tests/mutants

test-rescue: $(READY) ## ten thousand damaged sessions of each program rescued: RESCUES=10000
	TMPDIR=$(or $(wildcard /dev/shm),$(TMPDIR),/tmp) RESCUES=$(or $(RESCUES),10000) \
	  $(BIN)/python -m pytest -q -n auto tests/commands/test_rescue.py

agents: .agents/.ready ## install the programs whose sessions are read, as pinned, into .agents (npm; 1.7 GB)

test-agents: $(READY) agents ## have them go on with their sessions, against a loopback server (nightly; ARGS=--record)
	PYTHONPATH=tests/helpers $(BIN)/python tests/programs/agents/run.py $(ARGS)

test-adapters: .adapters/.ready ## the adapters with the packages that they are for, in an environment of their own (nightly; 600 MB)
	.adapters/bin/python -m pytest -q -n auto tests/adapters

test-browser: $(READY) ## pages in headless Chromium: widths, colours, axe-core (npm)
	$(BIN)/python tests/browser/run.py check

screenshots: $(READY) ## pictures of the pages, in .browser
	$(BIN)/python tests/browser/run.py pictures

fmt: $(READY) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --quiet --fix-only .

test-deep: $(READY) ## the laws of payloads and logs, and sessions in any order, at length (nightly)
	HYPOTHESIS_EXAMPLES=2500 HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest -n auto \
	  tests/send/test_payload.py tests/session/test_ops.py tests/session/test_session_stream.py \
	  tests/session/test_state_machine.py tests/session/test_by_reference.py

fuzz: $(READY) ## search for input that breaks a promise: MINUTES=10 (docs/fuzzing.md)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python tests/fuzz/run.py $(or $(MINUTES),10)

golden: $(READY) ## rewrite what tests/cases and fixtures expect (then review `git diff`)
	@git diff --quiet HEAD -- tests/cases tests/jobs fixtures || { \
	  echo "tests/cases or fixtures have uncommitted changes: commit them first" >&2; exit 1; }
	$(BIN)/python -m pytest -n auto --golden tests/test_cases.py tests/docs/test_readme_jobs.py tests/commands/test_fixture.py tests/programs/test_agents.py tests/programs/test_written.py tests/docs/test_man_page.py tests/docs/test_demo.py

prices: $(READY) ## write what models cost from genai-prices as pyproject.toml pins it
	$(BIN)/python tests/tokens/price_table.py

man: $(READY) ## write docs/codeh-history.1 from what --help is written from
	PYTHONPATH=tests/helpers $(BIN)/python tests/helpers/man_page.py

.PHONY: api
api: $(READY) ## write the types of the library from the methods and the verbs' options
	PYTHONPATH=tests/helpers $(BIN)/python tests/library/api.py

bench: $(READY) ## speed, as ratios within one run
	$(BIN)/python tests/bench/run.py

bench-compaction: $(READY) ## compaction beside the public trimmers, which it installs (15 minutes)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[rivals]'
	$(BIN)/python tests/bench/compaction.py
	$(BIN)/python tests/bench/compaction_again.py $(COMPACTBENCH)

bench-stores: .stores/.ready ## appends to Postgres beside agents' packages, in an environment of their own (3 minutes)
	PYTHONPATH=tests/helpers:tests/postgres:.stores/source/examples/session_stores .stores/bin/python tests/bench/stores.py

demo: $(VENV)/.installed ## the main job against a loopback server, no key and no network needed
	PATH="$(CURDIR)/$(BIN):$$PATH" bash tests/demo.sh

clean: ## remove what the tasks above made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .pythons .agents .adapters .stores .browser .node .go

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

.stores/.ready: pyproject.toml
	rm -rf .stores
	$(PYTHON) -m venv .stores
	.stores/bin/pip install --quiet --disable-pip-version-check --editable '.[stores]'
	.stores/bin/pip download --quiet --disable-pip-version-check --no-deps --no-binary claude-agent-sdk --dest .stores \
	  "$$(.stores/bin/pip freeze | grep ^claude-agent-sdk)" # its examples are not in the wheel
	mkdir .stores/source
	tar -xzf .stores/claude_agent_sdk-*.tar.gz -C .stores/source --strip-components 1
	@touch $@

.agents/.ready: tests/programs/agents/package.json tests/programs/agents/package-lock.json tests/programs/agents/newer/package.json
	@mkdir -p .agents/newer
	cp tests/programs/agents/package*.json .agents
	cp tests/programs/agents/newer/package.json .agents/newer
	npm install --prefix .agents --no-save --no-audit --no-fund --loglevel=error
	npm install --prefix .agents/newer --no-save --no-audit --no-fund --loglevel=error
	@touch $@
