"""`stallscope analyze FILE…`: one investigation, here, without a server."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workers.cli.evidence_files import add_origins
from workers.cli.exit_codes import EXIT_DONE, EXIT_FOUND, EXIT_USAGE
from workers.cli.usage import WrongUsage, complain

if TYPE_CHECKING:
    from backend.forensics.report import Report
    from workers.cli.evidence_files import EvidenceFile
    from workers.cli.fail_on import FailOn

NAME = "analyze"
JUDGES_HERE = True
HELP = "analyze captures and dumps as one investigation locally, without a server"
EPILOG = """\
examples:
  stallscope analyze node-7/                             everything in a folder
  stallscope analyze any.pcap conntrack-S-*.txt          a capture and the counters before and after it
  stallscope analyze --json report.json --fail-on warning any.pcap
  stallscope analyze --json - any.pcap | jq .diagnoses   (- is standard output; then no verdict is printed)"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options, as in the contract."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="a capture, a dump, or a directory or archive (tar, zip): all the files in it",
    )
    add("--label", help="name of the investigation in the report")
    add_origins(add)
    add("--json", metavar="PATH", help="write the report as JSON (stallscope.report/1)")
    add("--junit", metavar="PATH", help="write it as JUnit XML, findings above info as failures")
    add("--sarif", metavar="PATH", help="write it as SARIF 2.1.0")
    add("--markdown", metavar="PATH", help="write the report as Markdown")
    add(
        "--fail-on",
        metavar="EXPR",
        default="",
        help="exit with 1 if found: severities (info, warning, critical), finding kinds or causes, by comma",
    )


@dataclass(frozen=True)
class _Request:
    """What was asked for, checked before any work is done."""

    files: list[EvidenceFile]
    label: str
    fail_on: FailOn
    paths: dict[str, str | None]
    """Where each form of `report_outputs.FORMS` goes."""


def run(arguments: argparse.Namespace) -> int:
    """Analyse, print, write; 0, 1 or 2 as in the contract."""
    from workers.cli.analyse_files import analyse_files

    try:
        request = _read_request(arguments)
    except WrongUsage as wrong:
        complain(str(wrong))
        return EXIT_USAGE
    report = analyse_files(request.files, request.label)
    if report is None:
        complain("none of the files could be read, so there is nothing to report.")
        return EXIT_USAGE
    try:
        _write(report, request)
    except OSError as error:
        complain(f"the report cannot be written to {error.filename or 'standard output'}: {error.strerror}.")
        return EXIT_USAGE
    return outcome(report, request.fail_on)


def _read_request(arguments: argparse.Namespace) -> _Request:
    from workers.cli.analyse_files import label_for
    from workers.cli.evidence_files import files_meant
    from workers.cli.fail_on import read_fail_on
    from workers.cli.report_files import check_paths
    from workers.cli.report_outputs import FORMS

    paths = {form: getattr(arguments, form) for form in FORMS}
    check_paths([(f"--{form}", path) for form, path in paths.items()])
    files = files_meant(arguments)
    label = arguments.label or label_for(arguments.files)
    return _Request(files, label, read_fail_on(arguments.fail_on), paths)


def _write(report: Report, request: _Request) -> None:
    from workers.cli.report_files import write_outputs
    from workers.cli.report_outputs import report_outputs
    from workers.cli.terminal import render_terminal

    outputs = report_outputs(report, request.paths)
    write_outputs(outputs, lambda width, colour: render_terminal(report, width=width, colour=colour))


def outcome(report: Report, fail_on: FailOn) -> int:
    """The exit code, with the reasons on standard error."""
    from workers.cli.fail_on import reasons_to_fail

    reasons = reasons_to_fail(report, fail_on)
    if not reasons:
        return EXIT_DONE
    complain(f"--fail-on: {', '.join(reasons)}")
    return EXIT_FOUND
