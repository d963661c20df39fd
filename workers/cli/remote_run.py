"""A run on a server: files up, wait, and the report or the comparison back. Everything over `backend.client`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from backend.client import Investigation, NotFinished, Problem, Progress, is_link, read_link
from workers.cli.evidence_files import EvidenceFile
from workers.cli.usage import WrongUsage, complain

if TYPE_CHECKING:
    from backend.forensics.comparison.result import Comparison
    from workers.cli.progress_line import ProgressLine

REFUSED_FILE: Final = (409, 415, 422)
"""Statuses that say: not this file. Any other refusal is about the server."""
LATEST: Final = "latest:"


def upload_all(made: Investigation, files: Sequence[EvidenceFile], line: ProgressLine) -> int:
    """How many files the server took; those that it does not are named on standard error."""
    hosts = _hosts_of_folders(files)
    refused: dict[str, list[str]] = {}
    taken = 0
    for number, file in enumerate(files, 1):
        line.begin(f"uploading {file.name} ({number} of {len(files)})")
        try:
            made.upload(
                file.path,
                # A name is one part of an address; two of the same name differ in their folders.
                name=file.name.replace("/", "-"),
                host=file.host or hosts.get(file.origin),
                captured_at=_time_of(file.captured_at_ns),
                progress=lambda sent: line.part_done(sent.bytes_sent, sent.bytes_total),
            )
        except Problem as problem:
            if problem.status not in REFUSED_FILE:
                raise
            refused.setdefault(problem.detail, []).append(file.name)
        else:
            taken += 1
    line.clear()
    _name_files(refused)
    return taken


def wait_for(made: Investigation, timeout_s: float | None, line: ProgressLine) -> None:
    """Until the analysis is finished; raises WrongUsage when nothing could be read, NotFinished for the rest."""

    def on_progress(now: Progress) -> None:
        line.begin(f"stage {now.stage_number} of {now.stages}: {now.stage}")

    try:
        end = made.wait(timeout_s=timeout_s, progress=on_progress)
    except NotFinished as late:
        if late.analysis == "failed" and all(file.error for file in made.files()):
            raise WrongUsage(late.detail) from None
        raise
    finally:
        line.clear()
    reasons: dict[str, list[str]] = {}
    for file in end.files:
        if file.error:
            reasons.setdefault(file.error, []).append(file.name)
    _name_files(reasons)


def compare_with(made: Investigation, baseline: str) -> tuple[Comparison | None, str]:
    """(the comparison, the base's id). One with an investigation of this server is made and kept there, others are made
    here and have no id; None when ``latest:LABEL`` names nothing."""
    from backend.forensics.comparison.result import Comparison

    base = baseline if baseline.startswith(LATEST) else _own_id(made, baseline)
    if base is None:
        return _compared_here(made, baseline), ""
    try:
        found = Comparison.model_validate(made.compare(base))
    except Problem as problem:
        if problem.status == 404 and base.startswith(LATEST):
            return None, ""
        raise
    return found, found.base.investigation_id or ""


def _compared_here(made: Investigation, baseline: str) -> Comparison:
    from backend.forensics.comparison.compare import Subject, compare_reports
    from workers.cli.analyse_files import now_text
    from workers.cli.compare_subjects import parse_report, read_subject
    from workers.cli.main import tool_version

    return compare_reports(
        read_subject(baseline),
        Subject(parse_report(made.report(), made.link), made.link),
        created=now_text(),
        tool_version=tool_version(),
    )


def _own_id(made: Investigation, baseline: str) -> str | None:
    """Of an investigation of this server; None for a share link, another server or a saved report."""
    if not is_link(baseline):
        return None
    try:
        link = read_link(baseline)
    except ValueError as wrong:
        raise WrongUsage(str(wrong)) from None
    return link.investigation_id if made.link.startswith(f"{link.server}/") else None


def _hosts_of_folders(files: Sequence[EvidenceFile]) -> dict[str, str]:
    """Several folders are several machines, each called like its folder: the server knows of no folders."""
    folders = {file.origin for file in files if file.origin}
    if len(folders) < 2:
        return {}
    return {folder: folder.rpartition("/")[2] for folder in folders}


def _time_of(time_ns: int | None) -> datetime | None:
    return None if time_ns is None else datetime.fromtimestamp(time_ns / 1e9, UTC)


def _name_files(reasons: dict[str, list[str]]) -> None:
    """One sentence for a reason, however many files it concerns."""
    for reason, names in reasons.items():
        complain(f"{', '.join(names)}: {reason}")
