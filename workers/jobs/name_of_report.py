"""A name for an investigation that has only its files' names: whom the traffic was for, and when."""

from __future__ import annotations

import re

from backend.forensics.report import Report


def name_of(report: Report) -> str:
    """``10.16.147.226:80, 2026-11-21``: the destination that the verdict names, else the most used one, and the first
    day (UTC) of the captures. Empty without a destination."""
    known = [part.destination for part in report.destinations]
    said = report.diagnoses[0].statement if report.diagnoses else ""
    named = [each for each in known if re.search(rf"(?<![\w.:]){re.escape(each)}(?![\w:])", said)]
    days = sorted(part.first[:10] for part in report.inputs if part.first and part.kind == "capture")
    return ", ".join([*(named or known)[:1], *days[:1]]) if known else ""
