# Every target installs the packages that it needs. `make help` lists the targets.
VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin
CORES ?= all
READY := $(VENV)/.ready
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
UV := $(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python
# A run starts a hundred Python processes. To save time, keep byte-compiled modules, even if the environment forbids this.
export PYTHONDONTWRITEBYTECODE :=
# a text in quotes for the shell; the text can contain apostrophes
quoted = '$(subst ','\'',$1)'
# Snakemake does not quote the path of the Python interpreter, so it fails if the path has a space or another character that
# the shell interprets. Python 3.11 decodes the path of the sources by the locale, so it can fail if the path is not ASCII.
SPECIAL := $(shell printf '%s' $(call quoted,$(CURDIR)) | LC_ALL=C tr -d '[:alnum:]/._+@%,:=~\200-\377-')
$(if $(SPECIAL),$(error Snakemake cannot run because the path of this checkout has a special character, such as a space: $(CURDIR)))
BEYOND_ASCII := $(if $(shell printf '%s' $(call quoted,$(CURDIR)) | LC_ALL=C tr -d ' -~'),$(filter-out UTF-8,$(shell locale charmap)))
$(if $(BEYOND_ASCII),$(error the path of this checkout is not ASCII: set LC_ALL=C.UTF-8, or use a path without special letters))
# uv, pip, Snakemake, Matplotlib and our compiled code keep files in the user's cache folder. If this
# folder is not writable, use a folder in the checkout.
CACHE := $(or $(XDG_CACHE_HOME),$(if $(HOME),$(HOME)/.cache,/dev/null/none))
ifneq ($(shell folder=$(call quoted,$(CACHE)); until test -e "$$folder"; do folder=$$(dirname "$$folder"); done; test -d "$$folder" -a -w "$$folder" && echo yes),yes)
  $(info $(CACHE) cannot be written: using $(CURDIR)/.cache (or set XDG_CACHE_HOME))
  export XDG_CACHE_HOME := $(CURDIR)/.cache
  export MPLCONFIGDIR := $(or $(MPLCONFIGDIR),$(CURDIR)/.cache/matplotlib)
endif
# pytest-xdist starts the longest groups of tests first. Tests that use the same run of Snakemake form a group, and run in the
# same process.
ON_ALL_CORES := -n logical --maxprocesses 8 --dist loadgroup --no-loadscope-reorder
# Pass the options of profiles/default one by one, since Snakemake would print a line about the profile. With V=1, Snakemake
# prints its messages about every job.
PROFILE := $(shell sed -nE 's/^([a-z-]+): true$$/--\1/p;t;s/^([a-z-]+): ([^ ]+)$$/--\1 \2/p' profiles/default/config.yaml)
QUIETLY := --workflow-profile none $(if $(V),--rerun-incomplete,$(PROFILE))
# The limit on the memory that all jobs at the same time request is nine tenths of the computer's memory.
MEMORY_MB ?= $(shell awk '/^MemTotal/ {printf "%d", 0.9 * 1024 * $$2 / 1e6}' /proc/meminfo 2>/dev/null)
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES) $(if $(MEMORY_MB),--resources mem_mb=$(MEMORY_MB)) $(QUIETLY)

.PHONY: help run test test-units test-exhaustive test-kinds paper headline release render budget smoke bench bench-quick lint format docs clean report lock
.DEFAULT_GOAL := help

help: ## print this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: for example make PYTHON=python3.12 run")'
	@test -x $(BIN)/pip || $(PYTHON) -m venv --clear $(VENV)
	@echo "installing the packages of requirements.lock into $(VENV) ..."
	@# uv takes a quarter of the time of pip. If uv fails, for example because only pip knows the index, pip installs the same files.
	@($(PIP) --require-hashes -r requirements/uv.txt && $(UV) --require-hashes -r requirements.lock) || \
	  $(PIP) --no-compile --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $(READY)

run: $(READY) ## run the whole pipeline on embedded data (config/demo.yaml); this takes minutes and needs no network
	@$(SNAKEMAKE) --configfile config/demo.yaml

CONFIG ?= config/paper.yaml
paper: $(READY) ## run or resume the papers' experiments (hours); CONFIG=mine.yaml uses your configuration, TARGETS=singh runs a part
	@errors=$$($(BIN)/fwsvm budget --config $(call quoted,$(CONFIG)) 2>&1 >/dev/null) || { echo "$${errors#fwsvm budget: }" >&2; exit 2; }
	@$(SNAKEMAKE) --configfile $(call quoted,$(CONFIG)) -- $(TARGETS)
	@$(if $(TARGETS),,$(BIN)/fwsvm verify --config $(call quoted,$(CONFIG)))

headline: ## run the ladder and two tables on eight data sets (config/headline.yaml); this takes about 8 minutes on two cores
	@$(MAKE) --no-print-directory paper CONFIG=config/headline.yaml

budget: $(READY) ## count the runs of config/paper.yaml, and print the time limits and measured times of these runs
	@$(BIN)/fwsvm budget --config $(call quoted,$(CONFIG))

release: $(READY) ## copy the results of `make paper` to the committed folders results/released and figures/released
	@$(BIN)/fwsvm release --profile paper

render: $(READY) ## make all tables, figures and pages from the released runs again
	@$(BIN)/fwsvm render

smoke: $(READY) ## run the pipeline on tiny subsets (config/smoke.yaml)
	@$(SNAKEMAKE) --configfile config/smoke.yaml

report: $(READY) ## write the pages of a finished run again, for example CONFIG=config/demo.yaml
	@$(BIN)/fwsvm report --config $(call quoted,$(CONFIG))

test: $(READY) ## run all tests (without FWSVM_MIRROR, tests that need downloaded data are skipped)
	@$(BIN)/python -m pytest $(ON_ALL_CORES) $(PYTEST_OPTIONS)

test-units: $(READY) ## run all tests except the long ones, and report which lines of Python code the tests run
	@$(BIN)/python -m pytest $(ON_ALL_CORES) -m 'not workflow and not slow' --cov=src --cov-report=term:skip-covered $(PYTEST_OPTIONS)

test-exhaustive: $(READY) ## run the remaining tests of wide grids, and each property test with 300 new random examples
	@$(BIN)/python -m pytest $(ON_ALL_CORES) -m "hypothesis or exhaustive" --hypothesis-profile=exhaustive $(PYTEST_OPTIONS)

test-kinds: $(READY) ## run some tests as if on other CPU models, and compare the results
	@$(BIN)/python tests/cpu_kinds/run_kinds.py

bench: $(READY) ## compare training times with SVC, scikit-learn-intelex and LIBSVM (config/race.yaml, hours); run it again to resume
	@$(SNAKEMAKE) --configfile config/race.yaml

bench-quick: $(READY) ## make the same comparison on one small data set (config/race-quick.yaml)
	@$(SNAKEMAKE) --configfile config/race-quick.yaml -- beyond

lint: $(READY) ## run ruff, mypy, snakefmt, snakemake --lint and the check of imports; also hadolint if it is installed
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/snakefmt --check --compact-diff Snakefile workflow/rules/*.smk
	@$(BIN)/python workflow/lint.py
	@$(BIN)/lint-imports --no-logo --no-cache
	@if [ -x $(BIN)/hadolint ]; then $(BIN)/hadolint Dockerfile && echo "Dockerfile: no findings"; \
	  else echo "Dockerfile not checked: hadolint comes with $(BIN)/pip install -r requirements/tools.txt"; fi

format: $(READY) ## format the sources and the rules of the workflow
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix . && $(BIN)/snakefmt Snakefile workflow/rules/*.smk

docs: $(READY) ## build the documentation with the report of the released run, in build/docs/index.html
	@$(BIN)/fwsvm datasets docs --catalogue config/datasets.yaml --output docs/datasets.md
	@$(BIN)/python docs/which_solver.py
	@test -x $(BIN)/mkdocs || $(PIP) --require-hashes -r requirements/tools.txt
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@$(BIN)/fwsvm report --profile released --docs build/docs

# the versions must also fit the oldest Python that pyproject.toml allows
COMPILE := $(BIN)/uv pip compile --quiet --upgrade --generate-hashes --no-header --python-version 3.11
lock: $(READY) ## update requirements.lock and the files in requirements/ from pyproject.toml
	@test -x $(BIN)/uv || $(PIP) --require-hashes -r requirements/uv.txt
	@$(COMPILE) --extra papers --extra dev -o requirements.lock pyproject.toml
	@echo uv | $(COMPILE) --universal -o requirements/uv.txt -
	@$(BIN)/python requirements/tools.py | $(COMPILE) --universal --constraint requirements.lock -o requirements/tools.txt -

clean: ## remove results, figures and Snakemake's records (downloaded data and .venv stay)
	@for kind in results figures; do \
	  find $$kind -mindepth 1 -maxdepth 1 ! -name released ! -name README.md -exec rm -rf {} +; done
	@rm -rf .snakemake .pytest_cache .ruff_cache .mypy_cache .hypothesis
