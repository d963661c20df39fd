"""Writes what a command found: to files, to standard output, or as a verdict for the terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.cli.usage import WrongUsage

WIDTH_WITHOUT_TERMINAL = 100
WIDEST = 110
STANDARD_OUTPUT = "-"


@dataclass(frozen=True)
class Output:
    """One form of the answer: where it goes (None: nowhere) and how it is made."""

    option: str
    path: str | None
    render: Callable[[], str]


def check_paths(paths: Sequence[tuple[str, str | None]]) -> None:
    """(option, path) pairs, before any work is done; WrongUsage where they cannot all be written."""
    printed = [option for option, path in paths if path == STANDARD_OUTPUT]
    if len(printed) > 1:
        raise WrongUsage(f"only one of {' and '.join(printed)} can go to standard output.")
    for _, path in paths:
        if path not in (None, STANDARD_OUTPUT) and not Path(path).parent.is_dir():
            raise WrongUsage(f"{path} cannot be written: there is no directory {Path(path).parent}.")


def write_outputs(outputs: Sequence[Output], verdict: Callable[[int, bool], str]) -> None:
    """Each where it goes; the verdict (of a width, in colour) on standard output unless that is taken."""
    from workers.cli.terminal_text import wants_colour

    failures: list[Exception] = []
    for output in outputs:
        if output.path is not None and output.path != STANDARD_OUTPUT:
            text = _rendered(output, failures)
            if text is None:
                continue
            _save(output.path, text)
    printed = [output for output in outputs if output.path == STANDARD_OUTPUT]
    columns = shutil.get_terminal_size((WIDTH_WITHOUT_TERMINAL, 24)).columns
    width = max(60, min(columns, WIDEST)) if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL
    text = printed[0].render() if printed else verdict(width, wants_colour(sys.stdout))
    print_out(text)
    if failures:
        raise failures[0]


def _save(path: str, text: str) -> None:
    """Raises OSError that names the file: a full disk does not."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except BrokenPipeError:
        pass  # a pipe by its name, like /dev/stdout, whose reader has seen enough
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


def _rendered(output: Output, failures: list[Exception]) -> str | None:
    """Its text; None, with a line on standard error, where making it raises: the others are written all the same."""
    try:
        return output.render()
    except Exception as error:
        failures.append(error)
        print(
            f"stallscope: {output.option} failed ({type(error).__name__}); the rest is complete.",
            file=sys.stderr,
        )
        return None


def print_out(text: str) -> None:
    """On standard output, at once."""
    sys.stdout.write(text)
    sys.stdout.flush()
