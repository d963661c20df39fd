# `make run` starts the product, `make test` tests it. Stamp files in .stamps/ make the second time quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := .stamps
ADDRESS ?= --host 127.0.0.1 --port 8000
CHROMIUM ?= /usr/bin/chromium
MAKEFLAGS += --no-print-directory
# Without compiled modules beside the sources every process that is started compiles some 500 of them again.
unexport PYTHONDONTWRITEBYTECODE

PAGE_SOURCES := $(shell find frontend docs/ci -type f -not -path '*/node_modules/*' -not -path 'frontend/dist/*' \
	-not -path 'frontend/e2e/*' -not -path '*/test-results/*' -not -path '*/playwright-report/*' 2>/dev/null)

.PHONY: new-detector new-cause new-endpoint new-dump causes audit bench-page screens dist formats security settings run ready demo install install-dev build warm test test-python test-page test-browser check check-python \
	check-page format bench bench-large lab truth printed fuzz-tools test-long clean versions

run: ready ## the whole product on this machine
	@$(REWRITING_LATER)
	$(BIN)/stallscope serve $(ADDRESS)

demo: ready ## the same, with the bundled demonstration loaded
	@$(REWRITING_LATER)
	$(BIN)/stallscope demo $(ADDRESS)

# The decode loop is compiled while the page is built; what rewrites packets, while people look for their first capture.
ready:
	@$(MAKE) -j3 -Otarget install build $(STAMPS)/warm
REWRITING_LATER = (nice $(MAKE) $(STAMPS)/warm-rewriting >/dev/null 2>&1 &)

install: $(STAMPS)/python
install-dev: $(STAMPS)/python-dev
build: frontend/dist/index.html
warm: $(STAMPS)/warm $(STAMPS)/warm-rewriting

versions:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || { \
	  echo "Stallscope needs Python 3.11, 3.12 or 3.13, and $(PYTHON) is $$($(PYTHON) --version 2>&1 || true): choose one with make PYTHON=python3.12." >&2; exit 1; }
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null || { \
	  echo "Stallscope needs Node 20.19 or newer, and node is $$(node --version 2>/dev/null || echo absent)." >&2; exit 1; }

$(STAMPS):
	@mkdir -p $@

$(BIN)/python: | versions
	$(PYTHON) -m venv $(VENV)

# The environment's own pip and setuptools are pinned, too, and the build is not fetched by the way.
$(STAMPS)/python: requirements.txt requirements-build.txt pyproject.toml $(BIN)/python | $(STAMPS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-build.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

$(STAMPS)/python-dev: requirements-dev.txt $(STAMPS)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

$(STAMPS)/node: package-lock.json package.json frontend/package.json | $(STAMPS) versions
	npm ci --no-audit --no-fund
	@touch $@

frontend/dist/index.html: $(STAMPS)/node $(PAGE_SOURCES)
	npm run build
	@touch $@

# The decode loop is compiled once here, so that nobody waits for it at the first upload.
$(STAMPS)/warm: $(STAMPS)/python $(wildcard workers/decode/*.py workers/decode/*/*.py workers/decode/*/*/*.py)
	$(BIN)/python -m workers.decode.warm
	@touch $@

$(STAMPS)/warm-rewriting: $(STAMPS)/warm
	$(BIN)/python -m workers.decode.anonymise.warm
	@touch $@

test: test-page test-python test-browser ## everything but the long tests

test-page: $(STAMPS)/node
	npm test

# One process more than processors: a third of the time goes into waiting for started products.
test-python: install-dev build warm
	PYTEST_XDIST_AUTO_NUM_WORKERS=$$(( $$(getconf _NPROCESSORS_ONLN) + 1 )) $(BIN)/python -m pytest -m "not long"

test-browser: install-dev build warm
	@if [ ! -x "$(CHROMIUM)" ]; then \
	  echo "Browser tests skipped: no Chromium at $(CHROMIUM) (set CHROMIUM to one)."; \
	elif [ -z "$$(find frontend/e2e -name '*.spec.ts' 2>/dev/null)" ]; then \
	  echo "Browser tests skipped: there are none in frontend/e2e."; \
	else PATH="$(CURDIR)/$(BIN):$$PATH" CHROMIUM="$(CHROMIUM)" npm run e2e; fi

# The fuzzer's engine exists for Linux on x86-64 only; without it those tests are skipped.
fuzz-tools: install-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-api-fuzz.txt
	@$(BIN)/python -c 'import atheris' 2>/dev/null || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-fuzz.txt || true

test-long: install-dev fuzz-tools build warm ## the tests that take minutes
	$(BIN)/python -m pytest -m long

check: check-python check-page ## formatting, lint, types, import rules

check-python: install-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check-page: $(STAMPS)/node
	npm run lint
	npm run typecheck

format: install-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: install-dev warm ## speed and memory against tshark, on generated captures
	$(BIN)/python -m workers.decode.bench
	$(BIN)/python -m workers.decode.bench.conntrack_listing
	$(BIN)/python -m workers.decode.bench.kinds --raw docs/images/kinds.json --chart docs/images/kinds.svg
	$(BIN)/python -m workers.decode.bench.queries

bench-page: install-dev build warm ## times and sizes of the web page in Chromium
	PATH="$(CURDIR)/$(BIN):$$PATH" CHROMIUM="$(CHROMIUM)" npm run bench --workspace frontend

screens: install-dev build warm ## contact sheets of every page of the demonstrations, and the pictures of the README
	PATH="$(CURDIR)/$(BIN):$$PATH" CHROMIUM="$(CHROMIUM)" npm run screens --workspace frontend

bench-large: install-dev warm ## peak memory on more than 8 GB, and with a million connections (needs 11 GB of disk)
	$(BIN)/python -m workers.decode.bench.large

lab: install-dev warm ## real incidents in network namespaces, analyzed: make lab CAUSE=path-loss SEED=7 (needs root)
	$(BIN)/python -m workers.tests.lab $(CAUSE) $(addprefix --seed=,$(SEED))

truth: install-dev warm ## docs/truth.md: the lab's incidents with five seeds each against their truth (needs root to make them; half an hour)
	$(BIN)/python -m workers.tests.lab.truth_page $(addprefix --seed=,$(SEED))

printed: install-dev warm ## docs/printed.md: captures against what tcpdump prints of them (an hour; STALLSCOPE_EXTRA_CAPTURES)
	$(BIN)/python -m workers.tests.printed_captures

dist: build ## the wheel, the source archive and their bills of materials (CycloneDX), in dist/
	.ci/dist.sh

audit: install ## known vulnerabilities of what is installed, where a registry answers
	.ci/audit.sh

new-detector: install-dev ## a detector begun from a skeleton that passes every check: make new-detector NAME=half-open
	$(BIN)/python -m backend.tests.new_skeleton detector $(NAME)

new-cause: install-dev ## the same for a cause: make new-cause NAME=half-open
	$(BIN)/python -m backend.tests.new_skeleton cause $(NAME)

new-endpoint: install-dev ## an endpoint that share links may read, begun the same way: make new-endpoint NAME=slow-requests
	$(BIN)/python -m backend.tests.new_skeleton endpoint $(NAME)

new-dump: install-dev ## a dump format with its sample and test, begun the same way: make new-dump NAME=ip-vrf
	$(BIN)/python -m backend.tests.new_skeleton dump $(NAME)
	$(BIN)/python -m workers.decode.tests.formats_page

security: install-dev ## the tables of docs/security.md, from the marks of the tests
	$(BIN)/python -m backend.tests.security_page

settings: install-dev ## docs/settings.md, from the settings and what is said of each
	$(BIN)/python -m backend.tests.settings_page

formats: install-dev ## docs/formats.md, from the lists that the tests run over
	$(BIN)/python -m workers.decode.tests.formats_page

causes: install-dev ## docs/causes.md and docs/causes/, from what the causes state and what the lab makes
	$(BIN)/python -m workers.tests.lab.causes_page

clean:
	rm -rf $(STAMPS) $(VENV) node_modules frontend/dist dist .cache
