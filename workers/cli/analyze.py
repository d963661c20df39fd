"""`stallscope analyze FILE…`: one investigation, here, without a server."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workers.cli.main import EXIT_DONE, EXIT_FOUND, EXIT_USAGE
from workers.cli.usage import WrongUsage

if TYPE_CHECKING:
    from backend.forensics.report import Report
    from workers.cli.evidence_files import EvidenceFile
    from workers.cli.fail_on import FailOn

NAME = "analyze"
HELP = "analyse captures and dumps as one investigation, here, without a server"
EPILOG = """\
examples:
  stallscope analyze node-7/                             everything in a folder
  stallscope analyze any.pcap conntrack-S-*.txt          a capture and the counters before and after it
  stallscope analyze --json report.json --fail-on warning any.pcap
  stallscope analyze --json - any.pcap | jq .diagnoses   (- is standard output; then no verdict is printed)"""
WIDTH_WITHOUT_TERMINAL = 100
WIDEST = 110


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
    add("--label", help="what the investigation is called in the report")
    add(
        "--at", action="append", default=[], metavar="FILE=TIME", help="when a dump was taken (RFC 3339, UTC)"
    )
    add("--host", action="append", default=[], metavar="FILE=NAME", help="the machine a file comes from")
    add("--json", metavar="PATH", help="write the report as JSON (stallscope.report/1)")
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
    json: str | None
    markdown: str | None


def run(arguments: argparse.Namespace) -> int:
    """Analyse, print, write; 0, 1 or 2 as in the contract."""
    try:
        request = _read_request(arguments)
    except WrongUsage as wrong:
        _complain(str(wrong))
        return EXIT_USAGE
    report = _analyse(request)
    if report is None:
        _complain("none of the files could be read, so there is nothing to report.")
        return EXIT_USAGE
    try:
        _write(report, request)
    except OSError as error:
        _complain(f"the report cannot be written to {error.filename}: {error.strerror}.")
        return EXIT_USAGE
    return _outcome(report, request.fail_on)


def _read_request(arguments: argparse.Namespace) -> _Request:
    from workers.cli.evidence_files import find_evidence_files, read_pairs
    from workers.cli.fail_on import read_fail_on

    if arguments.json == "-" and arguments.markdown == "-":
        raise WrongUsage("only one of --json and --markdown can go to standard output.")
    for path in (arguments.json, arguments.markdown):
        if path not in (None, "-") and not Path(path).parent.is_dir():
            raise WrongUsage(f"{path} cannot be written: there is no directory {Path(path).parent}.")
    files = find_evidence_files(
        arguments.files,
        hosts=read_pairs(arguments.host, option="--host", form="FILE=NAME"),
        times_ns=_read_times(read_pairs(arguments.at, option="--at", form="FILE=TIME")),
    )
    label = arguments.label or _label_for(arguments.files)
    return _Request(files, label, read_fail_on(arguments.fail_on), arguments.json, arguments.markdown)


def _read_times(pairs: dict[str, str]) -> dict[str, int]:
    from workers.decode.dumps.stated_times import epoch_time_ns, stated_time_ns

    times: dict[str, int] = {}
    for file, text in pairs.items():
        epoch_ns = epoch_time_ns(text)
        time_ns = stated_time_ns(text) if epoch_ns is None else epoch_ns
        if time_ns is None:
            raise WrongUsage(
                f"--at does not understand the time “{text}”; write it like 2026-11-21T01:11:41Z."
            )
        times[file] = time_ns
    return times


def _label_for(given: list[str]) -> str:
    # The same files in another order are the same report, so the first in the alphabet gives the name.
    names = sorted({Path(argument).resolve().name or argument for argument in given})
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _analyse(request: _Request) -> Report | None:
    """The report on the files that can be read, None if none can; the others are named on standard error."""
    from datetime import UTC, datetime

    from workers.cli.main import tool_version
    from workers.cli.progress_line import ProgressLine
    from workers.cli.read_evidence import read_evidence
    from workers.pipeline import analyse

    line = ProgressLine(sys.stderr)
    evidence = read_evidence(request.files, line, _complain)
    report = None
    if evidence.ingested:
        line.begin("looking for what went wrong")
        created = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        report = analyse(
            evidence.ingested,
            left_out=evidence.left_out,
            label=request.label,
            created=created,
            tool_version=tool_version(),
            folder=None,
        )
    line.clear()
    return report


def _write(report: Report, request: _Request) -> None:
    writers: list[tuple[str | None, Callable[[Report], str]]] = [
        (request.json, _as_json),
        (request.markdown, _as_markdown),
    ]
    if "-" not in (request.json, request.markdown):
        writers.append(("-", _as_verdict))
    for path, render in writers:
        if path == "-":
            sys.stdout.write(render(report))
            sys.stdout.flush()
        elif path is not None:
            Path(path).write_text(render(report), encoding="utf-8")


def _as_json(report: Report) -> str:
    return report.model_dump_json(by_alias=True, indent=2) + "\n"


def _as_markdown(report: Report) -> str:
    from backend.services.render_markdown import render_markdown

    return render_markdown(report)


def _as_verdict(report: Report) -> str:
    from workers.cli.terminal import render_terminal
    from workers.cli.terminal_text import wants_colour

    columns = shutil.get_terminal_size((WIDTH_WITHOUT_TERMINAL, 24)).columns
    width = max(60, min(columns, WIDEST)) if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL
    return render_terminal(report, width=width, colour=wants_colour(sys.stdout))


def _outcome(report: Report, fail_on: FailOn) -> int:
    from workers.cli.fail_on import reasons_to_fail

    reasons = reasons_to_fail(report, fail_on)
    if not reasons:
        return EXIT_DONE
    _complain(f"--fail-on: {', '.join(reasons)}")
    return EXIT_FOUND


def _complain(sentence: str) -> None:
    from workers.cli.terminal_text import visible

    print(f"stallscope: {visible(sentence)}", file=sys.stderr)
