"""`stallscope upload FILE… --server URL`: files to a server, and its verdict, for CI."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from workers.cli.main import EXIT_DONE
from workers.cli.usage import WrongUsage, exit_code_of

if TYPE_CHECKING:
    from workers.cli.remote_investigation import RemoteInvestigation

NAME = "upload"
HELP = "analyse captures and dumps on a server; for CI"
EPILOG = """\
examples:
  stallscope upload node-7/ --server http://127.0.0.1:8000
  stallscope upload out/*.pcap --server "$URL" --label nightly --baseline latest:nightly --fail-on warning

The link of the investigation is printed first. --baseline, --fail-on and the outputs wait for the analysis, as
--wait does. With --baseline only what is new or worse fails; the first run of a label has nothing to compare
with, which is said and fails nothing."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options, as in the contract."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="a capture, a dump, a directory, or an archive (tar, zip)")
    add("--server", required=True, metavar="URL", help="address of the server, like http://127.0.0.1:8000")
    add(
        "--token", metavar="T", help="access token, - reads it from standard input (better: STALLSCOPE_TOKEN)"
    )
    add("--label", help="what the investigation is called")
    add("--wait", action="store_true", help="wait until the analysis is finished")
    add("--baseline", metavar="BASE", help="compare with this investigation: a link, or latest:LABEL")
    add("--json", metavar="PATH", help="write the report, or with --baseline the comparison, as JSON")
    add("--junit", metavar="PATH", help="the same as JUnit XML")
    add("--sarif", metavar="PATH", help="the same as SARIF 2.1.0")
    add("--markdown", metavar="PATH", help="the same as Markdown")
    add(
        "--fail-on",
        metavar="EXPR",
        default="",
        help="exit with 1 if found (with --baseline: if new or worse): severities, finding kinds or causes, by comma",
    )


def run(arguments: argparse.Namespace) -> int:
    """Upload, wait, judge; 0, 1, 2 or 3 as in the contract."""
    return exit_code_of(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    from workers.cli.analyse_files import label_for
    from workers.cli.evidence_files import find_evidence_files
    from workers.cli.fail_on import read_fail_on
    from workers.cli.remote_investigation import create_investigation
    from workers.cli.report_files import check_paths
    from workers.cli.report_outputs import FORMS

    paths = {form: getattr(arguments, form) for form in FORMS}
    check_paths([(f"--{form}", path) for form, path in paths.items()])
    fail_on = read_fail_on(arguments.fail_on)
    files = find_evidence_files(arguments.files, hosts={}, times_ns={})
    label = arguments.label or label_for(arguments.files)
    made = create_investigation(arguments.server, _token(arguments.token), label)
    print(made.link, file=sys.stderr if "-" in paths.values() else sys.stdout, flush=True)
    if not made.upload(files):
        raise WrongUsage("none of the files was taken, so there is nothing to analyse.")
    if not (arguments.wait or arguments.baseline or arguments.fail_on or any(paths.values())):
        return EXIT_DONE
    made.wait()
    if arguments.baseline:
        return _compared(made, arguments.baseline, paths, arguments.fail_on)
    return _judged(made, paths, fail_on)


def _token(given: str | None) -> str:
    if given == "-":
        return sys.stdin.readline().strip()
    return given or os.environ.get("STALLSCOPE_TOKEN", "")


def _judged(made: RemoteInvestigation, paths: dict[str, str | None], fail_on: object) -> int:
    from workers.cli.analyze import outcome
    from workers.cli.compare_subjects import parse_report
    from workers.cli.fail_on import FailOn
    from workers.cli.report_files import write_outputs
    from workers.cli.report_outputs import report_outputs
    from workers.cli.terminal import render_terminal

    assert isinstance(fail_on, FailOn)
    report = parse_report(made.get("report"), made.link)
    write_outputs(
        report_outputs(report, paths),
        lambda width, colour: render_terminal(report, width=width, colour=colour),
    )
    return outcome(report, fail_on)


def _compared(made: RemoteInvestigation, baseline: str, paths: dict[str, str | None], fail_on: str) -> int:
    from workers.cli.analyse_files import complain
    from workers.cli.compare import outcome
    from workers.cli.fail_on import read_fail_on
    from workers.cli.report_files import write_outputs
    from workers.cli.report_outputs import comparison_outputs
    from workers.cli.terminal_comparison import render_terminal_comparison

    comparison = made.compare_with(baseline)
    if comparison is None:
        complain(f"there is no earlier finished investigation for {baseline}: nothing to compare with yet.")
        return EXIT_DONE
    write_outputs(
        comparison_outputs(comparison, paths),
        lambda width, colour: render_terminal_comparison(comparison, width=width, colour=colour),
    )
    return outcome(comparison, read_fail_on(fail_on))
