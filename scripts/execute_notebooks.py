"""Run notebooks from the top and keep their outputs, as nbval compares them."""

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

os.environ |= {"TZ": "UTC", "PLOTLY_RENDERER": "plotly_mimetype"}


def execute(path: Path) -> None:
    """Run one notebook in its own folder; no widget state, no times, no local kernel name."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, resources={"metadata": {"path": path.parent}}, record_timing=False,
        store_widget_state=False, kernel_name="python3",
    )  # fmt: skip
    client.execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        execute(Path(name))
