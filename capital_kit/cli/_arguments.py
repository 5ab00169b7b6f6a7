"""The arguments of the commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from capital_kit import __version__
from capital_kit._core.labels import tr
from capital_kit._core.options import options
from capital_kit.cli import _commands

_LANGUAGES = ("zh", "en")
_KINDS = ("line", "area", "column", "candlestick", "bar")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the four commands, in the language of the options."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--lang", choices=_LANGUAGES, default=argparse.SUPPRESS, help=tr("cli.help.lang"))
    top = argparse.ArgumentParser(
        prog="capital-kit",
        description=tr("cli.help.program"),
        epilog=tr("cli.help.exit"),
        parents=[common],
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"capital-kit {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="describe|chart|verify|report")

    def command(name: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        text = tr(f"cli.help.{name}")
        made = commands.add_parser(
            name,
            help=text,
            description=text,
            epilog=tr("cli.help.exit"),
            parents=[common],
            allow_abbrev=False,
        )
        made.add_argument("--json", action="store_true", help=tr("cli.help.json"))
        made.set_defaults(run=run)
        return made

    _describe_arguments(command("describe", _commands.describe))
    _chart_arguments(command("chart", _commands.chart))
    _verify_arguments(command("verify", _commands.verify))
    _report_arguments(command("report", _commands.report))
    return top


def _describe_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", help=tr("cli.help.file"))
    command.add_argument("--time-column", metavar="C", help=tr("cli.help.time_column"))


def _chart_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", help=tr("cli.help.file"))
    command.add_argument("-o", "--output", required=True, metavar="OUT", help=tr("cli.help.chart_output"))
    # A kind says what to draw, a question asks for it to be decided.
    either = command.add_mutually_exclusive_group()
    either.add_argument("--kind", choices=_KINDS, help=tr("cli.help.kind"))
    either.add_argument("--question", default="", help=tr("cli.help.question"))
    command.add_argument("--title", help=tr("cli.help.chart_title"))


def _verify_arguments(command: argparse.ArgumentParser) -> None:
    allowed = ",".join(_commands.FAIL_ON)
    command.add_argument("paper", metavar="REPORT", help=tr("cli.help.paper"))
    command.add_argument("--sources", required=True, metavar="DIR", help=tr("cli.help.sources"))
    command.add_argument(
        "--fail-on",
        type=_fail_on,
        default=allowed,
        metavar="LIST",
        help=tr("cli.help.fail_on", allowed=allowed),
    )
    command.add_argument("--html", metavar="OUT", help=tr("cli.help.html"))


def _report_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="DATA", help=tr("cli.help.file"))
    command.add_argument("--text", required=True, metavar="NOTE.md", help=tr("cli.help.text"))
    command.add_argument("--sources", required=True, metavar="DIR", help=tr("cli.help.sources"))
    command.add_argument("-o", "--output", required=True, metavar="OUT", help=tr("cli.help.output"))
    command.add_argument("--title", help=tr("cli.help.title"))
    command.add_argument("--question", default="", help=tr("cli.help.question"))
    command.add_argument("--author", help=tr("cli.help.author"))
    command.add_argument("--date", help=tr("cli.help.date"))
    command.add_argument("--draft", action="store_true", help=tr("cli.help.draft"))


def _fail_on(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    allowed = list(_commands.FAIL_ON)
    for name in names:
        if name not in _commands.FAIL_ON:
            raise argparse.ArgumentTypeError(tr("cli.line.fail_on_unknown", name=name, allowed=allowed))
    return names


def spoken_language(arguments: Sequence[str]) -> str:
    """Return the language that the arguments ask for, else that of the options."""
    # Help texts are made with the parser, so the language must be known before it.
    for at, argument in enumerate(arguments):
        value = argument.partition("=")[2] if argument.startswith("--lang=") else ""
        if argument == "--lang" and at + 1 < len(arguments):
            value = arguments[at + 1]
        if value in _LANGUAGES:
            return value
    return options.language
