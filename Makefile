# On a fresh machine `make grade` grades, `make check` tests what is quick, `make test` all but what takes very long,
# and `make test-all` everything.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Tests start Python a thousand times: without compiled files, each time takes twice as long.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: grade site test test-slice test-all check lint types tests compiled book schema tables feedback hashes clean venv

# Unfilled exercises are no failure of make: exit codes 0 and 1 of `grade` both mean that it graded.
grade: $(VENV)/learner
	@$(BIN)/grade; code=$$?; test $$code -le 1 || exit $$code

# The course in a browser tab. Needs npm, and pip for the packages of the page.
site: $(VENV)/learner
	@$(BIN)/grade site build/page --serve

# What can be known soon: no attacks, no browser, no cluster, nothing slow.
check: TESTED = -q -m "not (slow or hostile or browser or cluster or exhaustive)"
test: TESTED = -m "not exhaustive"
# Types are checked meanwhile, those of Python and those of the pages' scripts: mypy keeps one core busy.
check test test-all: lint compiled
	@{ $(BIN)/mypy; python=$$?; $(SCRIPTS) && test $$python -eq 0; } > $(VENV)/types 2>&1 & types=$$!; \
	$(TESTS) $(TESTED); tests=$$?; \
	wait $$types; types=$$?; cat $(VENV)/types; test $$tests -eq 0 -a $$types -eq 0

# One of 23 parts of what `make test` leaves out: another one for each commit, so that all run in turn.
test-slice: compiled
	$(TESTS) -m exhaustive --slice commit

# Every combination: all tiers, CPU settings and Pythons, the full tables of verdicts, 500 submissions under kills, and
# forged answers at random.
test-all: TESTED = --timeout 3600 --session-timeout 14400
test-all: export BACKWARD_CHAOS = 500
test-all: export BACKWARD_FUZZ_CASES = 300

# TypeScript is installed once, by npm. Without npm, this says so.
SCRIPTS = $(BIN)/python tests/tools/javascript/check.py $(VENV)/javascript

# The slowest tests are listed at the end, so that a new slow one is seen.
TESTS = $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --durations 40 --durations-min 1

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(BIN)/zizmor --offline --no-progress --quiet .github grader/author/ci/templates/github*.yml

types: $(VENV)/installed
	$(BIN)/mypy
	$(SCRIPTS)

tests: compiled
	$(TESTS) -m "not exhaustive"

# Sandboxes cannot write compiled files, so each one in the tests would compile the worker again.
compiled: $(VENV)/installed
	@$(BIN)/python -m compileall -q grader

# After a change of a solution, a hidden test or course.yaml: stubs and answer book anew.
book: $(VENV)/installed
	$(BIN)/grade build

# A venv that was left half made is made anew.
venv:
	@$(BIN)/python -m pip --version > /dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)

INSTALL = PIP_CONSTRAINT=$(CURDIR)/constraints.txt PIP_BUILD_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check

# What a learner needs, and no more.
$(VENV)/learner: pyproject.toml constraints.txt | venv
	$(INSTALL) -e .
	@touch $@

# What a developer needs, which holds what a learner needs. pip would compile the files one after another.
$(VENV)/installed: pyproject.toml constraints.txt | venv
	$(INSTALL) pip  # an older one knows no dependency groups
	$(INSTALL) --no-compile -e . --group dev
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib > $(VENV)/compiled 2>&1 || true  # some are not meant to compile
	@touch $@ $(VENV)/learner

# After a change of constraints.txt. It needs the network.
hashes: $(VENV)/installed
	@sed -n '1p' hashes.txt > $(VENV)/hashes.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		-c constraints.txt pyproject.toml >> $(VENV)/hashes.txt
	@mv $(VENV)/hashes.txt hashes.txt

# After a change of a format.
tables: $(VENV)/installed
	PYTHONPATH=tests/support $(BIN)/python tests/docs/test_formats.py

# After a change of a check, a hint or a sentence that docs/feedback.md shows.
feedback: $(VENV)/installed
	PATH="$(CURDIR)/$(BIN):$$PATH" PYTHONPATH=tests/support $(BIN)/python tests/docs/test_feedback.py

# After a change of the report's model.
schema: $(VENV)/installed
	$(BIN)/python -c 'import json; from grader.verdict.report import schema; print(json.dumps(schema(), indent=2))' \
		> docs/report.schema.json
	$(BIN)/python -c 'import json; from grader.classes.cohort.summary import schema; print(json.dumps(schema(), indent=2))' \
		> docs/cohort.schema.json

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
