"""`stallscope COMMAND …`: finds the command's module and runs it, importing no other command.

A command is a module of this package that holds the names of `Command` below; the module is called like
the command (`-` becomes `_`). Its module level must import next to nothing, since `stallscope --help`
imports every command: heavy imports belong inside `run`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Sequence
from typing import Protocol, cast

import workers.cli
from backend.errors import StallscopeError
from workers.cli.exit_codes import EXIT_BUG, EXIT_USAGE
from workers.cli.second_try import with_second_try
from workers.cli.standard_streams import outlive_readers
from workers.garbage import collect_rarely, keep_freed_memory

SETTINGS_HELP = """\
settings: the command line first, then environment variables (STALLSCOPE_DATA, STALLSCOPE_DATABASE_URL, …),
then the file that STALLSCOPE_CONFIG names. `stallscope COMMAND --help` explains one command.
exit codes: 0 done; 1 a --fail-on condition matched; 2 wrong usage, or no input could be read;
3 server not reachable or refused; 4 not finished: the analysis failed, was cancelled, or took too long;
70 a bug of Stallscope."""


class Command(Protocol):
    """What a module of this package holds to be a command."""

    NAME: str
    """As typed: ``analyze``."""
    HELP: str
    """One line for the overview."""
    # ALIASES = (…): former spellings, which stay.
    # JUDGES_HERE = True: it analyzes in its own process, which a detector may end. It is then run once more without it.

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's options; optional texts go to ``parser.description`` and ``.epilog``."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it; the exit code. Raises SystemExit only for wrong usage (2)."""


def command_names() -> list[str]:
    """The modules that may be commands, without importing them."""
    return sorted(
        module.name
        for module in pkgutil.iter_modules(workers.cli.__path__)
        if not module.ispkg and module.name != "main"
    )


def load_command(module_name: str) -> Command | None:
    """The command in that module, or None when the module is not one (a renderer, say)."""
    if module_name not in command_names() or not _names_a_command(module_name):
        return None
    return cast(Command, importlib.import_module(f"workers.cli.{module_name}"))


def _names_a_command(module_name: str) -> bool:
    """Read in its text: to import a module that is none costs `stallscope --help` a second and a half."""
    source = pkgutil.get_data("workers.cli", f"{module_name}.py") or b""
    return b"\nNAME = " in source


def tool_version() -> str:
    """The installed version, ``0`` when run from files that were never installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("stallscope")
    except PackageNotFoundError:
        return "0"


class _Version(argparse.Action):
    """Reads the version where it is asked for: that takes as long as the rest of `stallscope --help`."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"stallscope {tool_version()}")
        parser.exit()


def build_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """A parser that knows the command asked for, or every command when none is named."""
    parser = argparse.ArgumentParser(
        prog="stallscope",
        description="Reads packet captures and kernel dumps, and explains why connections stall.",
        epilog=SETTINGS_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, help="show program's version number and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    asked_for = load_command(arguments[0].replace("-", "_")) if arguments else None
    found = [asked_for] if asked_for else [load_command(name) for name in command_names()]
    for command in found:
        if command is None:
            continue
        subparser = commands.add_parser(
            command.NAME,
            aliases=getattr(command, "ALIASES", ()),
            help=command.HELP,
            description=command.HELP,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run, judges_here=getattr(command, "JUDGES_HERE", False))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """The console script; wrong usage leaves with exit code 2 and one sentence on standard error."""
    # A program that calls this, like a test, may have threads, with which no process can be forked.
    is_program = arguments is None
    if is_program:
        outlive_readers()
        collect_rarely()
    given = list(sys.argv[1:] if arguments is None else arguments)

    def run() -> int:
        parsed = build_parser(given).parse_args(given)
        if is_program and parsed.judges_here:
            keep_freed_memory()
            return with_second_try(lambda: _ended(lambda: parsed.run(parsed)))
        return int(parsed.run(parsed))

    return _ended(run)


def _ended(command: Callable[[], int]) -> int:
    """The exit code of a command, whatever it raises."""
    try:
        code = command()
        sys.stdout.flush()
        return code
    except StallscopeError as error:
        print(f"stallscope: {error.sentence}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        print("stallscope: stopped", file=sys.stderr)
        return 130
    except Exception as error:
        # Python's own exit code for this is 1, which here says that --fail-on found something.
        if os.environ.get("STALLSCOPE_DEBUG"):
            raise
        print(
            f"stallscope: a bug of Stallscope stopped this ({type(error).__name__}: {error}). "
            "With STALLSCOPE_DEBUG=1 the details are shown.",
            file=sys.stderr,
        )
        return EXIT_BUG


if __name__ == "__main__":
    sys.exit(main())
