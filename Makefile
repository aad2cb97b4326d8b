# Needs make and Python 3.11, nothing else. Each target makes the environment it needs; a second call reuses it.
PYTHON ?= python3.11
PIP_FLAGS = --disable-pip-version-check --no-input
NOX = .nox/tools/bin/nox

.PHONY: demo test check benchmarks clean

## demo: record, inject and prove on a small LangGraph system; leaves .venv/bin/aegis
demo: .venv/.installed
	.venv/bin/aegis demo

## test: every lane (core, frameworks, openai_agents, metagpt, learners), then a summary that fails if a lane did not run
test: .nox/tools/.installed
	rm -rf build/lanes
	$(NOX) --session core frameworks openai_agents metagpt learners summary

## check: format, lint, types, and the tests of packaging and of the direction of imports
check: .nox/tools/.installed
	$(NOX) --session check

## benchmarks: all of docs/benchmarks.md, or some: make benchmarks NAME=tracing
benchmarks: .nox/tools/.installed
	$(NOX) --session benchmarks -- $(NAME)

## clean: remove every environment and everything that was built
clean:
	rm -rf .venv .nox build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# PIP_CONSTRAINT pins the build backend too, which the option alone doesn't.
.venv/.installed: pyproject.toml constraints/demo.txt
	$(PYTHON) -m venv .venv
	@echo 'installing Aegis, LangGraph and what they need into .venv/ ...'
	PIP_CONSTRAINT=constraints/demo.txt .venv/bin/pip install $(PIP_FLAGS) --quiet --editable '.[demo]'
	touch $@

.nox/tools/.installed: constraints/tools.txt
	$(PYTHON) -m venv .nox/tools
	.nox/tools/bin/pip install $(PIP_FLAGS) --quiet --constraint constraints/tools.txt nox
	touch $@
