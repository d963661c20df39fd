"""Causes weigh cases, which are types: none reads the report, whose words may change."""

from __future__ import annotations

import re
from pathlib import Path

DIAGNOSIS = Path(__file__).parents[1]
REPORT_READ = re.compile(r"\bFindingPart\b|\.measures\b|\baffected\b *\[|\.affected\b|\.events\b")


def test_no_cause_reads_a_finding() -> None:
    sources = [p for p in DIAGNOSIS.rglob("*.py") if "tests" not in p.relative_to(DIAGNOSIS).parts]
    assert len(sources) > 100
    assert [p.name for p in sources if REPORT_READ.search(p.read_text("utf-8"))] == []
