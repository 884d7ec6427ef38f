# Everything here runs in .venv, which `make` builds from requirements.lock.
.DEFAULT_GOAL := help
PYTHON ?= python3
UV_VERSION := 0.13.9
# uv is taken from PATH where it is there, and put into .tools otherwise.
UV = $(or $(shell command -v uv 2>/dev/null),.tools/bin/uv)
RUN = .venv/bin/
INSTALLED = .venv/installed
LOCKED = .venv/locked
NATIVE = src/threadmed/dataset/dumps/native
# 0 ends where the scanner of dump lines cannot be compiled, 1 does without it.
export THREADMED_PURE ?= 0
CLUSTER = $(RUN)python -m pytest -m cluster --cov --cov-fail-under=0 --cov-report= -q

.PHONY: help demo test lint fix bench bench-build bench-engine bench-coverage bench-metrics lock sample pictures wheels clean

help:  ## Say what can be made
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(INSTALLED)  ## From the sample dump to a report in demo/, with a model that needs no key
	$(RUN)threadmed demo --out demo

test: $(INSTALLED)  ## Run every test, with coverage
	@# Ray's own server now and then ends on a busy machine and takes its process
	@# along, so that its tests have one of their own, and a second try.
	$(CLUSTER) || $(CLUSTER)
	$(RUN)python -m pytest -m "not cluster" -n auto --dist worksteal --durations 15 \
	  --cov --cov-append --cov-report=term:skip-covered

lint: $(INSTALLED)  ## Check format, style, types and the walls between rooms
	$(RUN)ruff format --check .
	$(RUN)ruff check .
	$(RUN)mypy
	$(RUN)lint-imports

fix: $(INSTALLED)  ## Mend what can be mended by itself
	$(RUN)ruff format .
	$(RUN)ruff check --fix .

bench: $(INSTALLED)  ## Measure, as ratios within one run
	$(RUN)python -m bench

# BENCH="--folder DIR" keeps the generated dumps for the next time.
bench-build: $(INSTALLED)  ## Measure the build of a dump of real size (minutes, 4 GB of memory)
	$(RUN)python -m bench.building $(BENCH)

# BENCH="--rivals DIR" keeps the environment of the others for the next time.
bench-engine: $(INSTALLED)  ## Measure the engine beside Inspect and others (ten minutes)
	$(RUN)python -m bench.engine $(BENCH)

# BENCH="--studies 500" is quick.
bench-coverage: $(INSTALLED)  ## Measure how often the intervals hold the truth (minutes)
	$(RUN)python -m bench.coverage $(BENCH)

bench-metrics: $(INSTALLED)  ## Measure the numbers beside loops and scipy (minutes)
	$(RUN)python -m bench.metrics $(BENCH)

sample: $(INSTALLED)  ## Write the bundled sample dump and its labels anew
	$(RUN)python sample/make.py

pictures: $(INSTALLED)  ## Take the pictures of the README anew, in Chromium
	$(RUN)python docs/pictures/make.py

lock: $(firstword $(UV))  ## Resolve the dependencies again
	$(UV) pip compile pyproject.toml --universal --all-extras --group dev \
	  --generate-hashes --no-emit-index-url --quiet --upgrade -o requirements.lock

wheels: $(INSTALLED)  ## Make what a release uploads, in dist/ (two minutes, most for Windows)
	rm -rf dist
	$(RUN)python -m hatchling build -t sdist
	THREADMED_PURE=1 $(RUN)python -m hatchling build -t wheel
	set -e; for platform in $$($(RUN)python hatch_build.py); do \
	  THREADMED_PURE=0 THREADMED_PLATFORM=$$platform $(RUN)python -m hatchling build -t wheel; done

clean:  ## Remove what make has built
	rm -rf .venv .tools demo dist $(NATIVE)/scan.so $(NATIVE)/scan.dylib $(NATIVE)/scan.dll

.tools/bin/uv:
	$(PYTHON) -m venv .tools
	.tools/bin/pip install --quiet uv==$(UV_VERSION)

$(LOCKED): requirements.lock | $(firstword $(UV))
	$(UV) venv --quiet --clear --python $(PYTHON) .venv
	$(UV) pip install --quiet --python .venv --no-deps --require-hashes -r requirements.lock
	@touch $@

$(INSTALLED): $(LOCKED) pyproject.toml hatch_build.py $(wildcard $(NATIVE)/*.[ch])
	$(UV) pip install --quiet --python .venv --no-deps --no-build-isolation --reinstall -e .
	@touch $@
