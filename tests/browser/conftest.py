"""A real browser that refuses every address but the test's own, and a real JupyterLab in it."""

import contextlib
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
LAB_SETTINGS = {
    # Cells outside the view are not in the page unless windowing is off.
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none", "kernelShutdown": True},
    "@jupyterlab/apputils-extension/notification": {
        "fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}  # fmt: skip


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser():
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail("no Chrome or Chromium on PATH: run `make browser`, or apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=list(FLAGS))
        yield browser
        browser.close()


@dataclass
class Visit:
    """One open page and what it tried to do."""

    page: object
    refused: list = field(default_factory=list)
    console: list = field(default_factory=list)


@pytest.fixture
def visit(browser):
    """Open a page; ``allow`` is the only address that it may reach."""
    contexts = []

    def opened(url, *, allow="file:", width=1280, height=900, theme="light", **options):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, **options
        )
        contexts.append(context)
        page = context.new_page()
        visit = Visit(page)

        def route(request):
            if request.request.url.startswith((allow, "data:", "blob:")):
                request.continue_()
            else:
                visit.refused.append(request.request.url)
                request.abort()

        page.route("**/*", route)
        page.on("console", lambda m: visit.console.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: visit.console.append(str(error)))
        if url:
            page.goto(url)
        return visit

    yield opened
    for context in contexts:
        context.close()


@dataclass
class Lab:
    base: str
    token: str
    folder: Path


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab on loopback with its own settings, over a copy of the notebooks."""
    scratch = tmp_path_factory.mktemp("lab")
    scratch.chmod(0o700)
    folder = scratch / "notebooks"
    shutil.copytree(ROOT / "notebooks", folder, ignore=shutil.ignore_patterns(".*"))
    for plugin, values in LAB_SETTINGS.items():
        target = scratch / "settings" / f"{plugin}.jupyterlab-settings"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(values), encoding="utf-8")
    token = secrets.token_urlsafe(32)
    env = os.environ | {
        "JUPYTER_TOKEN": token,
        "JUPYTER_CONFIG_DIR": str(scratch / "config"),
        "JUPYTER_DATA_DIR": str(scratch / "data"),
        "JUPYTER_RUNTIME_DIR": str(scratch / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(scratch / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(scratch / "workspaces"),
        "IPYTHONDIR": str(scratch / "ipython"),
    }
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0", f"--ServerApp.root_dir={folder}", "--ServerApp.terminals_enabled=False",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdates", "--LabApp.news_url=None",
    ]  # fmt: skip
    log = scratch / "server.log"
    with log.open("wb") as sink:
        server = subprocess.Popen(command, env=env, stdout=sink, stderr=sink)
    try:
        info = _runtime_file(scratch / "runtime", server, log)
        yield Lab(f"http://127.0.0.1:{info['port']}{info['base_url']}", token, folder)
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _runtime_file(folder, server, log, limit=120):
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline and server.poll() is None:
        for path in folder.glob("jpserver-*.json"):
            with contextlib.suppress(ValueError):  # half written: look again
                info = json.loads(path.read_text(encoding="utf-8"))
                if info.get("port"):
                    return info
        time.sleep(0.1)
    tail = re.sub(r"token=[\w-]+", "token=…", log.read_text(encoding="utf-8", errors="replace")[-2000:])
    raise RuntimeError(f"JupyterLab did not start:\n{tail}")


@pytest.fixture
def run_notebook(lab, visit):
    """Open a notebook in JupyterLab, choose Run All Cells, wait until every cell has run."""

    def run(name, *, run_cells=True):
        seen = visit(None, allow=lab.base.removesuffix("/"), height=1400, locale="zh-CN")
        page = seen.page
        answer = page.context.request.get(f"{lab.base}lab", headers={"Authorization": f"token {lab.token}"})
        assert answer.ok
        page.goto(f"{lab.base}lab/tree/{name}?reset", wait_until="domcontentloaded")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=90_000)
        _wait_for_kernel(page, lab)
        if run_cells:
            _run_all(page)
        return seen

    return run


def _wait_for_kernel(page, lab):
    # The page says "idle" before the kernel is connected; cells run then are dropped without a word.
    for _ in range(450):
        kernels = page.context.request.get(f"{lab.base}api/kernels").json()
        if any(kernel["execution_state"] == "idle" and kernel["connections"] for kernel in kernels):
            break
        page.wait_for_timeout(200)
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status='idle']", timeout=90_000)


ALL_CELLS_RAN = """() => {
    const filled = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')]
        .filter(cell => cell.querySelector('.cm-content').textContent.trim());
    const idle = document.querySelector(".jp-Notebook-ExecutionIndicator[data-status='idle']");
    return idle && filled.every(cell =>
        /\\[\\d+\\]/.test(cell.querySelector('.jp-InputPrompt').textContent));
}"""


def _run_all(page):
    # The committed outputs go first, so that what is seen afterwards was made here.
    page.get_by_role("menuitem", name="Edit", exact=True).click()
    page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Clear Outputs of All Cells$")).click()
    for _ in range(3):  # as a person would: nothing happened, so choose it again
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Run All Cells$")).click()
        started = page.locator(".jp-InputPrompt", has_text=re.compile(r"\[(\*|\d+)\]")).first
        with contextlib.suppress(PlaywrightTimeout):
            started.wait_for(timeout=5000)
            break
    page.wait_for_function(ALL_CELLS_RAN, timeout=180_000)
