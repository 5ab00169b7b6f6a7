"""Notebook 01 in JupyterLab: run as a person runs it, and opened without running it."""

CANDLES = """() => [...document.querySelectorAll('.js-plotly-plot')]
    .some(e => e.data && e.data.some(t => t.type === 'candlestick'))"""


def test_first_look_runs_in_the_lab(run_notebook):
    seen = run_notebook("01_first_look.ipynb")
    page = seen.page
    page.wait_for_function(CANDLES, timeout=60_000)
    assert page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert page.locator(".jp-OutputArea .ck-card").count() >= 4
    assert page.locator(".jp-OutputArea .ck-card table th").count() >= 5
    # A figure whose window is resized keeps its height.
    size = "() => document.querySelector('.js-plotly-plot').getBoundingClientRect()"
    before = page.evaluate(size)
    page.set_viewport_size({"width": 1000, "height": 1200})
    page.wait_for_function(f"width => ({size})().width < width", arg=before["width"])
    assert page.evaluate(size)["height"] == before["height"] > 400
    assert page.get_by_text("Share chart", exact=False).count() == 0
    assert seen.refused == []


def test_saved_outputs_read_without_a_run(run_notebook):
    """Opened untrusted, scripts and variables in styles are gone; the text must still be there."""
    page = run_notebook("01_first_look.ipynb", run_cells=False).page
    page.wait_for_function(CANDLES, timeout=60_000)
    assert page.locator(".jp-OutputArea section table th").count() >= 5
