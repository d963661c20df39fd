"""`stallscope upload FILE… --server URL`: files to a server, and its verdict, for CI."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workers.cli.evidence_files import add_origins
from workers.cli.exit_codes import EXIT_DONE, EXIT_NOT_FINISHED
from workers.cli.usage import WrongUsage, exit_code_of

if TYPE_CHECKING:
    from backend.client import Investigation, NotFinished, Stallscope
    from workers.cli.evidence_files import EvidenceFile
    from workers.cli.fail_on import FailOn

TIMEOUT_S = 3600
NAME = "upload"
HELP = "analyze captures and dumps on a server; for CI"
EPILOG = """\
examples:
  stallscope upload node-7/ --server http://127.0.0.1:8000
  stallscope upload out/*.pcap --server "$URL" --label nightly --baseline latest:nightly --fail-on warning

The link of the investigation is printed first. --baseline, --fail-on and the outputs wait for the analysis, as
--wait does; the last line then says PASS, FAIL or NOT FINISHED (exit codes 0, 1, 4; DONE where nothing was to be
judged), and the link. With --baseline only what is new or worse fails; the first run of a label has nothing to
compare with, which is said and fails nothing. Of several folders each is a machine with the folder's name."""


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
    add_origins(add)
    add("--wait", action="store_true", help="wait until the analysis is finished")
    add(
        "--timeout",
        type=float,
        default=TIMEOUT_S,
        metavar="S",
        help=f"wait at most so many seconds, then exit with 4: not finished ({TIMEOUT_S:,}; 0: for ever)",
    )
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
    from backend.client import NotFinished
    from workers.cli.evidence_files import files_meant
    from workers.cli.fail_on import read_fail_on
    from workers.cli.report_files import check_paths
    from workers.cli.report_outputs import FORMS

    paths = {form: getattr(arguments, form) for form in FORMS}
    check_paths([(f"--{form}", path) for form, path in paths.items()])
    fail_on = read_fail_on(arguments.fail_on)
    files = files_meant(arguments)
    waits = bool(arguments.wait or arguments.baseline or arguments.fail_on or any(paths.values()))
    with _server(arguments) as server:
        from workers.cli.analyse_files import label_for

        made = server.create_investigation(arguments.label or label_for(arguments.files), source="ci")
        _say(f"{made.link}\n", paths)
        try:
            _send(made, files, arguments.timeout, waits=waits)
        except NotFinished as late:
            return _not_finished(made, late, paths)
        if not waits:
            return EXIT_DONE
        if arguments.baseline:
            return _compared(made, arguments.baseline, paths, fail_on)
        return _judged(made, paths, fail_on)


def _server(arguments: argparse.Namespace) -> Stallscope:
    from backend.client import Stallscope

    token = sys.stdin.readline().strip() if arguments.token == "-" else arguments.token
    try:
        return Stallscope(arguments.server, token=token)
    except ValueError as wrong:
        raise WrongUsage(f"--server: {wrong}") from None


def _send(made: Investigation, files: Sequence[EvidenceFile], timeout_s: float, *, waits: bool) -> None:
    from workers.cli.progress_line import ProgressLine
    from workers.cli.remote_run import upload_all, wait_for

    line = ProgressLine(sys.stderr)
    if not upload_all(made, files, line):
        raise WrongUsage("none of the files was accepted: there is nothing to analyze.")
    if waits:
        wait_for(made, timeout_s or None, line)


def _say(text: str, paths: dict[str, str | None]) -> None:
    """On standard output, but where a report goes there."""
    from workers.cli.report_files import print_out

    if "-" in paths.values():
        sys.stderr.write(text)
    else:
        print_out(text)


def _not_finished(made: Investigation, late: NotFinished, paths: dict[str, str | None]) -> int:
    from workers.cli.run_verdict import NOT_FINISHED, verdict_line

    _say(verdict_line(NOT_FINISHED, late.detail, made.link), paths)
    return EXIT_NOT_FINISHED


def _judged(made: Investigation, paths: dict[str, str | None], fail_on: FailOn) -> int:
    from workers.cli.analyze import outcome
    from workers.cli.compare_subjects import parse_report
    from workers.cli.fail_on import FailOn, reasons_to_fail
    from workers.cli.report_files import write_outputs
    from workers.cli.report_outputs import report_outputs
    from workers.cli.run_verdict import judged_line
    from workers.cli.terminal import render_terminal

    report = parse_report(made.report(), made.link)
    write_outputs(
        report_outputs(report, paths, page=made.link),
        lambda width, colour: render_terminal(report, width=width, colour=colour),
    )
    code = outcome(report, fail_on)
    reasons = reasons_to_fail(report, fail_on)
    _say(judged_line(made, report, reasons, asked=fail_on != FailOn()), paths)
    return code


def _compared(made: Investigation, baseline: str, paths: dict[str, str | None], fail_on: FailOn) -> int:
    from workers.cli.compare import outcome
    from workers.cli.fail_on import FailOn, reasons_to_fail_compared
    from workers.cli.remote_run import compare_with
    from workers.cli.report_files import write_outputs
    from workers.cli.report_outputs import comparison_outputs
    from workers.cli.run_verdict import compared_line, first_line
    from workers.cli.terminal_comparison import render_terminal_comparison
    from workers.cli.usage import complain

    comparison, base_id = compare_with(made, baseline)
    if comparison is None:
        complain(f"there is no earlier finished investigation for {baseline}: nothing to compare with yet.")
        _say(first_line(made), paths)
        return EXIT_DONE
    write_outputs(
        comparison_outputs(comparison, paths),
        lambda width, colour: render_terminal_comparison(comparison, width=width, colour=colour),
    )
    code = outcome(comparison, fail_on)
    reasons = reasons_to_fail_compared(comparison, fail_on)
    _say(compared_line(made, comparison, base_id, reasons, asked=fail_on != FailOn()), paths)
    return code
