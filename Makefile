# Everything runs in a virtual environment that is made here on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.ready-docs

.PHONY: help setup study study-full study-honest study-robust study-alzheimer leaderboard soak evidence test test-fast coverage lint format docs wheel bench clean

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

study: $(READY) ## ten models on nine small data sets, clean and with noise, with a page (under 5 minutes on two cores)
	$(BIN)/broadlearn study run benchmarks/study.toml --jobs -1 --store study/results.db --output study/report

NOISY := breast_cancer,conn_bench_sonar_mines_rocks,hill_valley,pittsburg_bridges_T_OR_D,tic_tac_toe
FULL := $(BIN)/broadlearn study run --jobs -1 --store study-full/results.db

study-full: $(READY) ## the published study on the 28 data sets, full grids (hours; needs the data)
	$(FULL) --dataset uci28 --protocol paper
	$(FULL) --dataset $(NOISY) --protocol paper \
		--noise deviation:0.05:all,deviation:0.1:all,deviation:0.15:all,deviation:0.2:all
	$(FULL) --dataset uci28 --protocol paper-inside,nested,paper-redraws
	$(FULL) --dataset uci28 --model BLS,F-BLS,IF-BLS --protocol paper-sensitivity-printed
	$(FULL) --dataset credit_approval,statlog_heart --model BLS,F-BLS,IF-BLS --protocol paper-sensitivity
	$(BIN)/broadlearn study report --output study-full/report --store study-full/results.db \
		--export study-full/units.csv --force --title "Seven models on 28 data sets, published grids"
	$(BIN)/python benchmarks/published.py study-full/results.db

RIVALS := SVC,RandomForest,ExtraTrees,HistGradientBoosting,LightGBM,CatBoost
RIVALS := $(RIVALS),LogisticRegression,MLP,k-NN,GaussianProcess
# Where families, widths and rules were chosen, and where nothing was.
study-honest: $(READY) ## our ensemble against other models, clean and noisy (hours; needs the data)
	$(BIN)/broadlearn study run benchmarks/honest.toml --model "Ensemble,$(RIVALS)" --jobs -1 \
		--store study-honest/results.db --output study-honest/report
	$(BIN)/python benchmarks/honest.py study-honest/results.db

study-robust: $(READY) ## robust and structural variants with wrong labels and outliers (an hour of CPU time; needs the data)
	$(BIN)/broadlearn study run benchmarks/robust.toml --jobs -1 --store study-robust/results.db --output study-robust/report
	$(BIN)/python benchmarks/robust.py study-robust/results.db

ALZHEIMER := $(BIN)/broadlearn study run --jobs -1 --store study-alzheimer/results.db
ALZHEIMER_MODELS := BLS,ELM,NeuroFBLS,IF-TSVM,H-ELM,F-BLS,IF-BLS,Ensemble
ALZHEIMER_MODELS := $(ALZHEIMER_MODELS),SVC,RandomForest,HistGradientBoosting,LogisticRegression,majority

study-alzheimer: $(READY) ## all models on people rated for dementia, by MRI measures (20 minutes; needs the data)
	$(ALZHEIMER) benchmarks/alzheimer.toml --protocol nested --model $(ALZHEIMER_MODELS) \
		--dataset oasis_1,oasis_1_no_mmse,oasis_2,oasis_2_no_mmse
	$(ALZHEIMER) benchmarks/alzheimer.toml --protocol paper-sensitivity --dataset oasis_1 \
		--model BLS,ELM,NeuroFBLS,H-ELM,F-BLS,IF-BLS
	$(ALZHEIMER) --protocol nested --model $(ALZHEIMER_MODELS) --dataset alzheimer_biomarkers,darwin
	$(BIN)/broadlearn study report --output study-alzheimer/report --store study-alzheimer/results.db \
		--export study-alzheimer/units.csv --force \
		--title "Ratings of dementia from MRI measures, and two more tables on Alzheimer's disease"

leaderboard: $(READY) ## our ensemble among 179 published classifiers on their authors' splits (ten minutes; needs the data)
	$(BIN)/broadlearn study run --dataset uci121 --protocol given-splits --model Ensemble --grid reduced \
		--jobs -1 --store leaderboard/results.db --output leaderboard/report

SEED ?= 0
soak: $(READY) ## attack model files, tables, studies, commands and fits (half an hour); prints what failed
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/soak.py $(SEED)

# Each process of pytest-xdist has a core; further threads of linear algebra and of OpenMP (gradient
# boosting) would only get in each other's way.
test test-fast coverage: export OPENBLAS_NUM_THREADS = 1
test test-fast coverage: export OMP_NUM_THREADS = 1

test: $(READY) ## run all tests, doctests included, on all cores
	$(BIN)/python -m pytest -n auto

coverage: $(READY) ## the same, and which lines they reach (a third longer; at least 90 % are wanted)
	$(BIN)/python -m pytest -n auto --cov

test-fast: $(READY) ## run the tests that are not marked slow (about a minute)
	$(BIN)/python -m pytest -n auto -m "not slow and not soak" --durations=5 --durations-min=2

lint: $(READY) ## ruff, mypy, the import contract and spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/typos

format: $(READY) ## let ruff rewrite the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $(DOCS_READY)

docs: $(DOCS_READY) ## build the documentation site, examples executed (docs/_build/html/index.html)
	$(BIN)/python -m sphinx -W --keep-going --quiet --builder html docs docs/_build/html

WHEEL := build/wheel

wheel: ## build wheel and source archive into dist/, check them, import the wheel in a clean environment
	rm -rf dist $(WHEEL)
	$(PYTHON) -m venv $(WHEEL)/tools
	$(WHEEL)/tools/bin/python -m pip install --quiet build twine
	$(WHEEL)/tools/bin/python -m build
	$(WHEEL)/tools/bin/python -m twine check --strict dist/*
	$(PYTHON) -m venv $(WHEEL)/clean
	$(WHEEL)/clean/bin/python -m pip install --quiet dist/*.whl
	cd $(WHEEL) && clean/bin/python -c 'import broadlearn; print("broadlearn", broadlearn.__version__)'

bench: $(READY) ## run all benchmarks (hours; some need the data folder)
	$(BIN)/python benchmarks/scores.py
	$(BIN)/python benchmarks/fit.py
	$(BIN)/python benchmarks/robust_cost.py
	$(BIN)/python benchmarks/residuals.py
	$(BIN)/python benchmarks/landmarks.py
	$(BIN)/python benchmarks/kernel_width.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/accuracy.py
	$(BIN)/python benchmarks/flagship.py
	$(BIN)/python benchmarks/midsize.py midsize.csv
	$(BIN)/python benchmarks/midsize.py unseen.csv --unseen
	$(BIN)/python benchmarks/regression.py
	$(BIN)/python benchmarks/twin_svm.py
	$(BIN)/python benchmarks/audit.py audit.csv
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/dask_fit.py
	$(BIN)/python benchmarks/cost_model.py
	$(BIN)/python benchmarks/row_standardization.py

evidence: $(READY) ## run again what docs/evidence.csv claims, as far as it takes minutes (some need the data)
	$(BIN)/python benchmarks/evidence.py

clean: ## remove the virtual environment, caches and the built site
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .coverage .coverage.* htmlcov dist build
	rm -rf docs/_build docs/auto_examples docs/generated
