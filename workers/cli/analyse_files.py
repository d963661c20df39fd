"""Files in, report out, here, without a server: what `analyze` and `compare` share."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from backend.forensics.report import Report
from workers.cli.evidence_files import EvidenceFile
from workers.cli.main import tool_version
from workers.cli.progress_line import ProgressLine
from workers.cli.read_evidence import read_evidence
from workers.cli.second_try import isolation_here
from workers.cli.usage import complain
from workers.pipeline import analyse


def analyse_files(files: Sequence[EvidenceFile], label: str) -> Report | None:
    """The report on the files that can be read, None if none can; the others are named on standard error."""
    line = ProgressLine(sys.stderr)
    evidence = read_evidence(files, line, complain)
    report = None
    if evidence.ingested:
        line.begin("analyzing")
        report = analyse(
            evidence.ingested,
            left_out=evidence.left_out,
            label=label,
            created=now_text(),
            tool_version=tool_version(),
            folder=None,
            isolation=isolation_here(),
        )
    line.clear()
    return report


def label_for(given: Sequence[str]) -> str:
    """The same files in another order are the same report, so the first in the alphabet gives the name."""
    names = sorted({Path(argument).resolve().name or argument for argument in given})
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def now_text() -> str:
    """The time now as RFC 3339 in UTC, to the second."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
