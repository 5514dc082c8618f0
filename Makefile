# Three commands matter: `make demo` shows the product, `make site` starts one of your own, `make test` proves it. Each does its own set-up.
PYTHON ?= python3
PORT ?= 8000
PYTEST_ARGS ?= -n auto
SINCE ?= HEAD
# One scene at a time writes the table; `-n 5 --dist loadfile` is quicker and writes none.
FAULTS_ARGS ?= -n 0
COLLECTION ?= ../shared/data/cranfield
BIN := .venv/bin

.PHONY: demo site dev dev-large images wheel quick test test-long faults machines check check-style check-types check-django check-tests reference reference-pooling bench lock format clean help

help:
	@echo "make demo       start the product with the demo campaign (PORT=$(PORT) RUNPOOL_DATA_DIR=/absolute/path)"
	@echo "make site       the same without a campaign; the first start asks for the first account"
	@echo "make dev        the demo for developers: server and worker start again when the code changes"
	@echo "make dev-large  make dev with a campaign of 225 topics and 300 runs beside the demo campaign; loads in two to three minutes"
	@echo "make wheel      make dist/runpool-*.whl, which is installed by pip"
	@echo "make quick      a minute for what changed: linters, types, the tests of the changed rooms (SINCE=HEAD)"
	@echo "make test       run every test that this machine can run, the quickest kind first"
	@echo "make test-long  the same with many more examples for every property"
	@echo "make faults     do the operator's steps, then let parts of a site fail; writes docs/reference/faults.md (ten minutes)"
	@echo "make machines   set a site up on one bare Debian machine and on two, by the operator's guide (root; ten minutes)"
	@echo "make check      linters, types, import contracts, missing migrations"
	@echo "make reference  write docs/reference/ and the drawing of the architecture anew"
	@echo "make images     photograph pages of the demo campaign for docs/images/ (a minute; needs Chromium)"
	@echo "make reference-pooling  simulate the strategies on a judged collection (COLLECTION=$(COLLECTION)); five minutes"
	@echo "make bench      speed and memory as ratios to other tools (BENCH_ARGS=--help for more)"
	@echo "make format     put the code into its one form"
	@echo "make lock       resolve the dependencies anew"

demo site: .venv/run.installed
	@$(BIN)/python manage.py $@ --port $(PORT)

dev dev-large: export RUNPOOL_DEBUG := true
dev dev-large: export RUNPOOL_SITE_URL := http://127.0.0.1:$(PORT)
dev dev-large: export PATH := $(CURDIR)/$(BIN):$(PATH)
dev dev-large: .venv/dev.installed
	@python manage.py migrate --verbosity 0
	@python manage.py load_demo
	@$(if $(filter dev-large,$@),python manage.py load_large)
	@honcho start --procfile Procfile.dev --port $(PORT)

wheel: .venv/dev.installed
	$(BIN)/python -m build --wheel --no-isolation

quick: .venv/dev.installed
	@$(BIN)/python -m tests.quick --since "$(SINCE)"

test: .venv/dev.installed .venv/node.installed
	$(BIN)/python -m pytest --ignore=tests/faults --ignore=tests/machines $(PYTEST_ARGS)

test-long: .venv/dev.installed .venv/node.installed
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest --ignore=tests/faults --ignore=tests/machines $(PYTEST_ARGS)

faults: export FAULTS_TABLE := docs/reference/faults.md
faults: .venv/dev.installed
	$(BIN)/python -m pytest -p no:randomly $(FAULTS_ARGS) tests/faults

check: .venv/dev.installed
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target check-types check-style check-django check-tests

check-types: .venv/dev.installed
	$(BIN)/mypy .

check-style: .venv/dev.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/oxlint --deny-warnings static/js

check-django: export DJANGO_SETTINGS_MODULE := tests.settings
check-django: .venv/dev.installed
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python manage.py makemigrations --check --dry-run

# All tests can be imported; and they are compiled once, beside the types, and not by each process that runs some.
check-tests: .venv/dev.installed
	@said=$$(mktemp); $(BIN)/python -m pytest --collect-only -qq >$$said 2>&1 || { cat $$said; exit 1; }; rm $$said

machines: .venv/dev.installed
	$(BIN)/python -m pytest -n 0 -p no:randomly -s tests/machines

reference: .venv/dev.installed
	$(BIN)/python -m evaluation measures --format markdown > docs/reference/measures.md.new
	$(BIN)/python -m campaign.formats.runs.rules_page > docs/reference/run-rules.md.new
	mv docs/reference/measures.md.new docs/reference/measures.md
	mv docs/reference/run-rules.md.new docs/reference/run-rules.md
	$(BIN)/python -m tests.architecture_drawing

images: .venv/dev.installed
	$(BIN)/python -m tests.film_strip

# The collection is not part of the project: a folder with qrels.graded.txt, runs.csv and runs/*.txt.gz.
reference-pooling: .venv/dev.installed
	$(BIN)/python -m pooling simulate --qrels $(COLLECTION)/qrels.graded.txt --teams $(COLLECTION)/runs.csv \
		--format markdown --picture docs/images/pooling-simulation.svg $(COLLECTION)/runs/*.txt.gz > docs/reference/pooling.md.new
	mv docs/reference/pooling.md.new docs/reference/pooling.md

bench: .venv/dev.installed
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

format: .venv/dev.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/uv.installed: requirements/bootstrap.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Runpool needs Python 3.11 or newer; $(PYTHON) is older. Name another: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements/bootstrap.txt
	@touch $@

.venv/run.installed: requirements/run.txt .venv/uv.installed
	@$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements/run.txt
	@touch $@

.venv/dev.installed: requirements/dev.txt .venv/uv.installed
	@$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@touch $@ .venv/run.installed

# What tests hold pages against: axe-core and html-validate, of the versions of the lock.
.venv/node.installed: requirements/package-lock.json .venv/dev.installed
	@mkdir -p .venv/node
	@cp requirements/package.json requirements/package-lock.json .venv/node/
	@cd .venv/node && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

lock: .venv/uv.installed
	for name in bootstrap run traces dev build; do \
		$(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
			-o requirements/$$name.txt requirements/$$name.in || exit 1; \
	done
	cd requirements && PATH="$(CURDIR)/$(BIN):$$PATH" \
		npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
