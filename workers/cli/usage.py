"""What every command says of arguments that make no sense, and how it ends then."""

from __future__ import annotations

import sys
from collections.abc import Callable

from workers.cli.exit_codes import EXIT_SERVER, EXIT_USAGE


class WrongUsage(ValueError):  # noqa: N818 - it says what happened
    """An argument that makes no sense; the sentence is for the user."""


def exit_code_of(command: Callable[[], int]) -> int:
    """What `command` returns; 2 for wrong arguments and files, 3 for a server's trouble, said on standard error."""
    from backend.client import Problem

    try:
        return command()
    except WrongUsage as wrong:
        complain(str(wrong))
    except Problem as problem:
        complain(str(problem))
        return EXIT_SERVER
    except OSError as error:
        complain(f"{error.filename or 'the answer'} cannot be read or written: {error.strerror or error}.")
    return EXIT_USAGE


def complain(sentence: str) -> None:
    """One sentence on standard error."""
    from workers.cli.terminal_text import visible

    print(f"stallscope: {visible(sentence)}", file=sys.stderr)
