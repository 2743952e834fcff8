# Everything runs in a virtual environment that is made here on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.ready-docs

.PHONY: help setup study study-full study-honest soak test lint format docs bench clean

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "broadlearn needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(READY)

setup: $(READY) ## make the virtual environment

study: $(READY) ## compare all models on embedded data, with a report (a few minutes)
	$(BIN)/broadlearn study run --dataset embedded --grid reduced --jobs -1 \
		--store study/results.db --report study/report \
		--title "Seven models on embedded data, reduced grids"

NOISY := breast_cancer,conn_bench_sonar_mines_rocks,hill_valley,pittsburg_bridges_T_OR_D,tic_tac_toe
FULL := $(BIN)/broadlearn study run --jobs -1 --store study-full/results.db

study-full: $(READY) ## the published study on the 28 data sets, full grids (about an hour; needs the data)
	$(FULL) --dataset uci28 --protocol paper
	$(FULL) --dataset $(NOISY) --protocol paper \
		--noise variance:0.05:all,variance:0.1:all,variance:0.15:all,variance:0.2:all
	$(FULL) --dataset uci28 --protocol nested
	$(BIN)/broadlearn study sensitivity study-full/sensitivity.csv \
		--dataset darwin,credit_approval,statlog_heart
	$(BIN)/broadlearn study report study-full/report --store study-full/results.db \
		--sensitivity study-full/sensitivity.csv --export study-full/units.csv \
		--title "Seven models on 28 data sets, published grids"

RIVALS := SVC,RandomForest,HistGradientBoosting,LogisticRegression,MLP,k-NN
HONEST := --dataset uci28-honest --protocol nested --seeds 3 --jobs -1 --store study-honest/results.db

study-honest: $(READY) ## our ensemble against scikit-learn's classifiers, clean and noisy (hours; needs the data)
	$(BIN)/broadlearn study run $(HONEST) --model "IF-BLS ensemble,$(RIVALS)" \
		--noise none,labels:0.2:train,outliers:0.2:train --report study-honest/report \
		--title "An ensemble of broad learners against scikit-learn's classifiers"

soak: $(READY) ## kill a study at 20 random moments and compare its table with an undisturbed one's
	$(BIN)/python benchmarks/kill_and_resume.py

test: $(READY) ## run all tests, doctests included
	$(BIN)/python -m pytest

lint: $(READY) ## ruff, mypy and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## let ruff rewrite the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $(DOCS_READY)

docs: $(DOCS_READY) ## build the documentation site, examples executed (docs/_build/html/index.html)
	$(BIN)/python -m sphinx -W --keep-going --quiet --builder html docs docs/_build/html

bench: $(READY) ## run all benchmarks (hours; some need the data folder)
	$(BIN)/python benchmarks/scores.py
	$(BIN)/python benchmarks/fit.py
	$(BIN)/python benchmarks/landmarks.py
	$(BIN)/python benchmarks/kernel_width.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/accuracy.py
	$(BIN)/python benchmarks/ensemble.py
	$(BIN)/python benchmarks/twin_svm.py
	$(BIN)/python benchmarks/audit.py
	$(BIN)/python benchmarks/first_run.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/dask_fit.py
	$(BIN)/python benchmarks/cost_model.py
	$(BIN)/python benchmarks/baselines.py

clean: ## remove the virtual environment, caches and the built site
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	rm -rf docs/_build docs/auto_examples docs/generated
