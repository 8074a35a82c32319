# Every target sets up what it needs in .venv; only Python 3.11 or newer and make are required.
PYTHON ?= python3
BIN := .venv/bin
PLAYER := ligament/viewer/static/player.js
PYTEST := $(BIN)/python -m pytest -n auto --dist loadscope
export PYTHONDONTWRITEBYTECODE := # tests start many processes, which would all compile the library

.PHONY: demo test tests lint types soak fuzz bench examples conformance docs lock audit dist sbom clean

demo: .venv/.installed $(PLAYER)
	$(BIN)/python -m pip install --quiet --editable ".[view,plot,mujoco]"
	$(BIN)/ligament demo --out-dir demo

# Types take a core for a minute where nothing is cached: the tests need not wait for it.
test: .venv/.judges .venv/.browser .venv/.player
	$(MAKE) --no-print-directory --jobs=2 lint tests

tests: .venv/.judges .venv/.browser .venv/.player
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm test --prefix web --silent
	$(PYTEST)

lint: .venv/.developed .venv/.player
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm run --prefix web --silent check
	$(BIN)/codespell
	$(BIN)/python docs/check_words.py

soak: .venv/.judges .venv/.browser .venv/.player .venv/.fuzzing
	LIGAMENT_SOAK=1 $(PYTEST) --timeout=7200
	$(BIN)/python -m fuzz.corpus $(wildcard ../shared/corpus ../shared/golden) --files 10000
	$(BIN)/python -m fuzz.run --seconds 160

# A search for inputs that break something: SECONDS for each target, all or TARGETS.
SECONDS ?= 60
TARGETS ?=
fuzz: .venv/.fuzzing
	$(BIN)/python -m fuzz.run $(TARGETS) --seconds $(SECONDS)

bench: .venv/.developed $(PLAYER)
	$(BIN)/python -m benchmarks

examples: .venv/.installed
	$(BIN)/python -m examples.make

# The data of the conformance suite, and its archive: the same bytes every time.
conformance: .venv/.installed
	$(BIN)/python -m ligament.conformance.build conformance build/ligament-conformance.zip

docs: .venv/.documented
	$(BIN)/python docs/make_codes.py
	$(BIN)/python docs/make_commands.py
	$(BIN)/python docs/make_engines.py
	$(BIN)/python docs/make_extensions.py
	$(BIN)/python docs/make_thresholds.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# With LOCKED=1, as in continuous integration, all packages but torch have the versions and hashes of
# requirements/ci.lock; what is installed after that finds them there.
.venv/.installed: pyproject.toml $(if $(LOCKED),requirements/ci.lock)
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
ifdef LOCKED
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps --requirement requirements/ci.lock
endif
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/.developed: .venv/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group lint --group test --group tensors
	touch $@

.venv/.fuzzing: .venv/.developed pyproject.toml
	$(BIN)/python -m pip install --quiet --group fuzz
	touch $@

.venv/.documented: .venv/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

# The player's script. The package's build makes it too, where it is missing.
$(PLAYER): $(wildcard web/src/* web/build.mjs web/package-lock.json) | .venv/.installed
	$(BIN)/python web/bundle.py

# What checks and tests the player's sources: TypeScript, beside what bundles them.
.venv/.player: .venv/.developed $(PLAYER) web/package-lock.json
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --prefix web --ignore-scripts --no-audit --no-fund --silent
	touch $@

# Programs that read what Ligament writes; Node itself comes from the test dependencies.
.venv/.judges: .venv/.developed tests/judges/package.json
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm install --prefix tests/judges --no-package-lock --no-audit --no-fund --silent
	touch $@

# A browser for the tests of pages: one that is there, else one that can be installed.
.venv/.browser: .venv/.developed tests/browser/get.py tests/browser/package.json
	$(BIN)/python tests/browser/get.py > $@.part
	mv $@.part $@

# The supply chain: versions and hashes of all that development and releases use, known
# vulnerabilities in it, and a bill of materials. `ci.lock` is what tests need of `dev.lock`, without
# torch; `build.lock` is what builds a release; the bill lists what `ligament[all]` installs. The tools
# have an environment of their own, and need the network.
COMPILE := build/supply/bin/uv pip compile --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-annotate --custom-compile-command "make lock" --quiet
DEVELOPMENT := pyproject.toml --extra all --group lint --group test
lock: build/supply/.installed
	$(COMPILE) $(DEVELOPMENT) --group tensors --group docs --group fuzz --upgrade --output-file requirements/dev.lock
	$(COMPILE) $(DEVELOPMENT) --constraint requirements/dev.lock --upgrade --output-file requirements/ci.lock
	$(COMPILE) --group build --constraint requirements/dev.lock --upgrade --output-file requirements/build.lock

audit: build/supply/.installed
	@build/supply/bin/pip-audit --requirement requirements/dev.lock --require-hashes --disable-pip --strict \
	  || { echo "audit: either something above is known to be unsafe, or the advisories of PyPI could not be" \
	  "asked, which needs the network (a mirror of packages has none)"; exit 1; }

# The same tree gives the same bytes: the tools are locked, and no time or permission goes in.
dist: build/backend/.installed $(PLAYER)
	rm -rf dist
	build/backend/bin/python -m hatchling build --directory dist

sbom: build/supply/.installed
	$(COMPILE) pyproject.toml --extra all --constraint requirements/dev.lock --output-file build/all.lock
	build/supply/bin/cyclonedx-py requirements build/all.lock --pyproject pyproject.toml \
	  --mc-type library --output-reproducible --output-file build/sbom.json

build/backend/.installed: requirements/build.lock
	$(PYTHON) -m venv build/backend
	build/backend/bin/python -m pip install --quiet --require-hashes --requirement requirements/build.lock
	touch $@

build/supply/.installed:
	$(PYTHON) -m venv build/supply
	build/supply/bin/python -m pip install --quiet uv pip-audit cyclonedx-bom
	touch $@

clean:
	rm -rf .venv demo site build dist ligament/viewer/static web/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
