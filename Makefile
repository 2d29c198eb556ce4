# Every target makes what it needs first, so that each works alone in a fresh clone.

PORT ?= 8501
HOST ?= 127.0.0.1
WORKERS ?= 2
CHROMIUM ?= /usr/bin/chromium
SOFFICE ?= /usr/bin/soffice
export CHROMIUM SOFFICE

# Tried, not only looked up: a version manager leaves names on the path that start nothing, and Debian splits off ensurepip.
USABLE = import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
FIND_PYTHON = for python in python3.13 python3.12 python3.11 python3; do \
	if $$python -c '$(USABLE)' >/dev/null 2>&1; then command -v $$python; break; fi; done
PYTHON ?= $(shell $(FIND_PYTHON))

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input
TESTS := $(BIN)/python -m pytest
STAGE := .ci/stage
LOCALE := data/locales/zh/LC_MESSAGES/messages.po

.DEFAULT_GOAL := help
.PHONY: help run test soak coverage mutation check format messages venv test-env system

help: ## say what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

run: venv ## serve the app on PORT (8501) of HOST (127.0.0.1)
	@echo "Accelerator Ledger on http://$(HOST):$(PORT)"
	@$(BIN)/streamlit run app.py --server.port $(PORT) --server.address $(HOST) --server.headless true

test: ## everything that must hold, in four stages whose seconds are printed; the last is the tests in a real browser
	@$(STAGE) "install" $(MAKE) --no-print-directory test-env system
	@$(STAGE) "check" $(MAKE) --no-print-directory check
	@$(STAGE) "tests without a browser" $(TESTS) --ignore=tests/browser --ignore=tests/test_structure.py -n 2 --dist worksteal --durations=10
	@$(STAGE) "tests in a browser" $(TESTS) tests/browser -n 2 --dist worksteal --durations=10

soak: test-env system ## what only shows in the long run: 100,000 hostile links, every preset, the browser tests ten times over
	LEDGER_FUZZED_LINKS=100000 $(BIN)/python -m pytest -q tests/test_attack.py -k fuzzed
	$(BIN)/python -m pytest -q -m soak --ignore=tests/browser -n 2 --dist worksteal
	@for round in 1 2 3 4 5 6 7 8 9 10; do echo "browser tests, round $$round of 10"; \
		$(BIN)/python -m pytest -q tests/browser -m "browser or soak" -n 2 --dist worksteal || exit 1; done

coverage: test-env ## which lines and branches of lib the tests reach without a browser; fails under the share in pyproject.toml
	@mkdir -p test-artifacts
	$(TESTS) --ignore=tests/browser -n 2 --dist worksteal --cov --cov-report=term

mutation: .venv/.mutation ## change the kernels in thousands of ways, one at a time, and see that a test fails each time
	@rm -rf mutants
	$(BIN)/mutmut run --max-children $(WORKERS)
	$(BIN)/python -m tests.mutation.verdicts

check: test-env ## what a machine sees without running the app: format, lint, types, tables, structure
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m lib check
	$(BIN)/python -m pytest -q tests/test_structure.py

format: test-env ## put the code in the house's form
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

messages: test-env ## bring the catalogue of translations up to the words in the code
	@mkdir -p $(dir $(LOCALE))
	$(BIN)/pybabel -q extract --mapping-file pyproject.toml --keyword count:1,2 --sort-output --no-wrap --omit-header \
		--output data/locales/messages.pot .
	$(BIN)/pybabel -q update --input-file data/locales/messages.pot --output-file $(LOCALE) --locale zh \
		--init-missing --no-wrap --no-fuzzy-matching --ignore-obsolete --omit-header
	@rm data/locales/messages.pot

venv: .venv/.runtime ## the environment that serves the app

test-env: .venv/.test ## the environment that tests it

system: ## what tests need beside Python (Debian packages): browser, Chinese font, spreadsheet program, proxy
	@missing=""; \
	command -v $(CHROMIUM) >/dev/null || missing="$$missing chromium"; \
	dpkg-query -W -f='$${Status}' fonts-noto-cjk 2>/dev/null | grep -q ' installed$$' \
		|| fc-list :lang=zh 2>/dev/null | grep -q . || missing="$$missing fonts-noto-cjk"; \
	[ -e "$$(dirname "$$(readlink -f $(SOFFICE))")/libsclo.so" ] || missing="$$missing libreoffice-calc-nogui"; \
	[ -e "$$(dirname "$$(readlink -f $(SOFFICE))")/libsdlo.so" ] || missing="$$missing libreoffice-impress-nogui"; \
	PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || missing="$$missing nginx"; \
	if [ -n "$$missing" ]; then .ci/system-packages $$missing; fi

.venv/bin/pip:
	@if [ -z "$(PYTHON)" ]; then .ci/system-packages python3-venv; fi
	@python="$(PYTHON)"; [ -n "$$python" ] || python="$$($(FIND_PYTHON))"; \
	if [ -z "$$python" ]; then echo "Python 3.11, 3.12 or 3.13 with its venv module is needed" >&2; exit 1; fi; \
	"$$python" -m venv .venv

.venv/.runtime: requirements.txt | .venv/bin/pip
	$(PIP) -r $<
	@touch $@

.venv/.test: requirements-test.txt | .venv/.runtime
	$(PIP) -r $<
	@touch $@

.venv/.mutation: requirements-mutation.txt | .venv/.test
	$(PIP) -r $<
	@touch $@
