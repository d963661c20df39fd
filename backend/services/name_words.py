"""Names of the addresses that a report's sentences hold, for those who read it as text."""

from __future__ import annotations

import re
from typing import Final

from backend.forensics.report import NamePart, Report

NAMES_SHOWN: Final = 40
_ADDRESS: Final = re.compile(r"[0-9a-fA-F.:]{3,45}")
_KINDS: Final = {"host": "host", "dns": "DNS name", "pod": "pod", "service": "service", "node": "node"}


def names_in_texts(report: Report) -> list[NamePart]:
    """Of addresses in titles, summaries, statements and claims, at most NAMES_SHOWN; the others stand in the JSON."""
    if not report.names:
        return []
    texts = [text for each in report.findings for text in (each.title, each.summary)]
    for diagnosis in report.diagnoses:
        texts += [diagnosis.title, diagnosis.statement, *(claim.text for claim in diagnosis.claims)]
    words = {word for text in texts for word in _ADDRESS.findall(text)}
    # With the port behind it, and the brackets around an IPv6 address, left out.
    words |= {word.rpartition(":")[0] for word in words} | {word.rstrip(".:") for word in words}
    return [each for each in report.names if each.address in words][:NAMES_SHOWN]


def name_sentence(name: NamePart) -> str:
    """``pod payments/checkout-7f9c since 2026-11-20T08:00:05.000000000Z``."""
    since = f" since {name.start}" if name.start else ""
    until = f" until {name.end}" if name.end else ""
    return f"{_KINDS.get(name.sort, name.sort)} {name.name}{since}{until}"
