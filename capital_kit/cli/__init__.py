"""The command line: ``capital-kit describe | chart | verify | report``.

Exit codes: 0 fine, 1 findings, 2 usage or bad input. What is read by people goes to standard
output, errors go to standard error; with ``--json`` standard output is one JSON document.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from capital_kit._core.options import options
from capital_kit.cli._arguments import parser, spoken_language
from capital_kit.cli._output import put, put_json
from capital_kit.errors import KitError

__all__ = ["main"]

_USAGE, _INTERRUPTED, _PIPE_CLOSED = 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process if not given.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _speak_utf8()
    with options.override(language=spoken_language(arguments)):
        try:
            code = _run(arguments)
            if sys.stdout is not None:
                sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()
            return _PIPE_CLOSED
        except KeyboardInterrupt:
            return _INTERRUPTED
        except OSError as error:
            # The commands turn what files refuse into errors of their own; this is the output.
            _drop_output()
            put(KitError.of("output_failed", reason=error.strerror or type(error).__name__), to=sys.stderr)
            return _USAGE
        return code


def _run(arguments: list[str]) -> int:
    try:
        parsed = parser().parse_args(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else _USAGE
    try:
        code: int = parsed.run(parsed)
    except KitError as error:
        return _failed(error, as_json=parsed.json)
    return code


def _drop_output() -> None:
    # Python would complain again when it closes the stream.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: KitError, *, as_json: bool) -> int:
    if as_json:
        put_json(error.to_dict())
    put(error, to=sys.stderr)
    return _USAGE


def _speak_utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A file name that is no UTF-8 must not break the line that tells of it.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
