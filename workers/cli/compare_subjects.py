"""One side of a comparison: files analysed here, a report saved before, or an investigation of a server."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from backend.client import is_link, open_link, without_secret
from backend.forensics.comparison.compare import Subject
from backend.forensics.report import Report
from workers.cli.analyse_files import analyse_files, label_for
from workers.cli.evidence_files import find_evidence_files
from workers.cli.usage import WrongUsage
from workers.pipeline import UNKNOWN_TEXT

REPORT_LIMIT_BYTES = 256 << 20
_REPORT_STARTS = b'{"'


def read_subject(given: str) -> Subject:
    """The report and its source; raises WrongUsage when nothing of it can be read, Problem for a link."""
    if is_link(given):
        return _behind_link(given)
    path = Path(given)
    if not path.exists():
        raise WrongUsage(f"there is no file or directory {given}.")
    if path.is_file() and _looks_like_report(path):
        return Subject(parse_report(json.loads(path.read_bytes()), given), given)
    report = analyse_files(find_evidence_files([given], hosts={}, times_ns={}), label_for([given]))
    if report is None or all(part.format == UNKNOWN_TEXT for part in report.inputs):
        raise WrongUsage(f"nothing of {given} could be read, so there is nothing to compare.")
    return Subject(report, given)


def _behind_link(given: str) -> Subject:
    try:
        investigation = open_link(given)
    except ValueError as wrong:
        raise WrongUsage(str(wrong)) from None
    source = without_secret(given)
    with investigation:
        return Subject(parse_report(investigation.report(), source), source)


def parse_report(content: object, source: str) -> Report:
    """The report in that JSON; WrongUsage names its source when it is none."""
    try:
        return Report.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "its beginning"
        raise WrongUsage(
            f"{source} is JSON, but not a report of this version of Stallscope: {first['msg']} at {place}."
        ) from error


def _looks_like_report(path: Path) -> bool:
    """JSON that names a schema of ours; anything else is evidence, or is refused."""
    with path.open("rb") as handle:
        start = handle.read(4096)
    if not b"".join(start.split()[:2]).startswith(_REPORT_STARTS) or b"stallscope." not in start:
        return False
    if path.stat().st_size > REPORT_LIMIT_BYTES:
        raise WrongUsage(f"{path} is larger than any report ({REPORT_LIMIT_BYTES >> 20} MiB).")
    schema = _schema_of(path)
    if schema != "stallscope.report/1":
        raise WrongUsage(f"{path} is {schema or 'invalid JSON'}, not a report (stallscope.report/1).")
    return True


def _schema_of(path: Path) -> str:
    try:
        content = json.loads(path.read_bytes())
    except ValueError:
        return ""
    return str(content.get("schema", "")) if isinstance(content, dict) else ""
