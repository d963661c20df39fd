"""`stallscope compare BASE CANDIDATE`: what got worse, better or stayed between two investigations."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workers.cli.exit_codes import EXIT_DONE, EXIT_FOUND
from workers.cli.usage import exit_code_of

if TYPE_CHECKING:
    from backend.forensics.comparison.result import Comparison
    from workers.cli.fail_on import FailOn

NAME = "compare"
JUDGES_HERE = True
HELP = "compare two investigations: what got worse, better or stayed the same"
EPILOG = """\
BASE and CANDIDATE are each one of
  a capture, a dump, a directory or an archive (tar, zip): analyzed locally
  a report that `analyze --json` wrote
  a link to an investigation of a server, or a share link with its secret part (in quotes: it holds a #)

examples:
  stallscope compare before/ after/
  stallscope compare last-good.json today.pcap --fail-on warning
  stallscope compare "http://127.0.0.1:8000/s/3f2a#k=…" after.tar.gz --markdown -

--fail-on considers only what is new or worse in the candidate; a latency or a share of attempts that got worse
counts as a warning."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options, as in the contract."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add("base", metavar="BASE", help="the baseline")
    add("candidate", metavar="CANDIDATE", help="the run to compare with the baseline")
    add("--json", metavar="PATH", help="write the comparison as JSON (stallscope.comparison/1)")
    add("--junit", metavar="PATH", help="write it as JUnit XML, regressions as failures")
    add("--sarif", metavar="PATH", help="write it as SARIF 2.1.0")
    add("--markdown", metavar="PATH", help="write it as Markdown")
    add(
        "--fail-on",
        metavar="EXPR",
        default="",
        help="exit with 1 if new or worse: severities (info, warning, critical), finding kinds or causes, by comma",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read both, compare, print, write; 0, 1, 2 or 3 as in the contract."""
    return exit_code_of(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    from workers.cli.fail_on import read_fail_on
    from workers.cli.report_files import check_paths, write_outputs
    from workers.cli.report_outputs import FORMS, comparison_outputs
    from workers.cli.terminal_comparison import render_terminal_comparison

    paths = {form: getattr(arguments, form) for form in FORMS}
    fail_on = read_fail_on(arguments.fail_on)
    check_paths([(f"--{form}", path) for form, path in paths.items()])
    comparison = _compare(arguments.base, arguments.candidate)
    write_outputs(
        comparison_outputs(comparison, paths),
        lambda width, colour: render_terminal_comparison(comparison, width=width, colour=colour),
    )
    return outcome(comparison, fail_on)


def outcome(comparison: Comparison, fail_on: FailOn) -> int:
    """The exit code, with the reasons on standard error."""
    from workers.cli.fail_on import reasons_to_fail_compared
    from workers.cli.usage import complain

    reasons = reasons_to_fail_compared(comparison, fail_on)
    if not reasons:
        return EXIT_DONE
    complain(f"--fail-on: {', '.join(reasons)}")
    return EXIT_FOUND


def _compare(base: str, candidate: str) -> Comparison:
    from backend.forensics.comparison.compare import compare_reports
    from workers.cli.analyse_files import now_text
    from workers.cli.compare_subjects import read_subject
    from workers.cli.main import tool_version

    subjects = [read_subject(given) for given in (base, candidate)]
    return compare_reports(*subjects, created=now_text(), tool_version=tool_version())
