# What a contributor types. `make demo` and `make test` make all they need by themselves.
VENV ?= .venv
PY := $(VENV)/bin/python
DATA := notebooks/data

.PHONY: demo test engines check format notebooks lab bench lock wheel bundle browser clean

demo: $(VENV)/.ready-run bundle ## the main job: price file + cited text -> build/report.html
	$(PY) -m capital_kit report $(DATA)/prices.csv --text $(DATA)/note.md --sources $(DATA)/sources \
	    --title "示例药业 复盘" --question "近一年走势和成交量" --output build/report.html

test: check bundle browser ## everything: unit, notebooks (nbval), browser
	CI=$(CI) TZ=UTC PLOTLY_RENDERER=plotly_mimetype $(PY) -m pytest tests notebooks \
	    --nbval --nbval-current-env --cov=capital_kit --cov-report=term

engines: $(VENV)/.ready-dev ## the same record from Spark (needs Java) and Dask
	$(PY) -m pytest tests/engines

check: $(VENV)/.ready-dev ## lint, format, types
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

format: $(VENV)/.ready-dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

notebooks: $(VENV)/.ready-dev bundle ## run the notebooks again and keep their outputs
	$(PY) scripts/execute_notebooks.py notebooks/*.ipynb

lab: $(VENV)/.ready-dev
	$(PY) -m jupyter lab notebooks

bench: $(VENV)/.ready-dev
	$(PY) benchmarks/start_up.py
	$(PY) benchmarks/describe.py
	$(PY) benchmarks/citations.py

lock: $(VENV)/.ready-dev ## renew the pins of constraints.txt
	$(PY) -m pip install --quiet uv
	$(PY) -m uv pip compile --quiet --universal --no-header --no-annotate --upgrade \
	    --group dev --group spark pyproject.toml --output-file constraints.txt

wheel: $(VENV)/.ready-dev bundle
	$(PY) -m hatchling build -t wheel -d dist

bundle: ## the small plotly.js, from npm
	sh scripts/plotly_bundle.sh

browser: $(VENV)/.ready-dev
	sh scripts/browser.sh

clean:
	rm -rf $(VENV) build dist .coverage capital_kit/charts/static/plotly-finance.min.js

$(VENV)/.ready-run: pyproject.toml constraints.txt
	sh scripts/environment.sh $(VENV)
	$(PY) -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/.ready-dev: $(VENV)/.ready-run
	$(PY) -m pip install --quiet --constraint constraints.txt --group dev
	if command -v java >/dev/null; then $(PY) -m pip install --quiet --constraint constraints.txt --group spark; fi
	touch $@
