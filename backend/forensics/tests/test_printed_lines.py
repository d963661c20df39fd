"""Evidence in rebuilt captures leads to the lines of the text."""

from __future__ import annotations

import numpy as np
import pytest

from backend.forensics.dumps import Dump, PrintedTable
from backend.forensics.dumps.printed import PRINTED_DTYPE
from backend.forensics.printed_lines import printed_places, with_printed_lines
from backend.forensics.report import EvidencePart, FindingPart, Report, ToolPart


def report_with(evidence: EvidencePart) -> Report:
    finding = FindingPart(
        id="f", kind="k", severity="info", confidence=1, title="t", summary="s", count=1, first=None, last=None,
        time_lost_s=0, measures={}, evidence=[evidence],
    )  # fmt: skip
    return Report(
        schema="stallscope.report/1", label="", created="", tool=ToolPart(version=""), inputs=[], findings=[finding],
        diagnoses=[], checked=[],
    )  # fmt: skip


@pytest.mark.parametrize("text", ["a.txt", "a.txt/a.txt"])
def test_frames_lead_to_lines(text: str) -> None:
    printed = PrintedTable(np.array([(3, 1), (7, 2), (9, 1)], PRINTED_DTYPE))
    places = printed_places({text: [Dump("tcpdump-text", 9, (), printed=printed)]})
    of_first = with_printed_lines(report_with(EvidencePart(input="a.txt (packets)", frames=[1, 2])), places)
    of_second = with_printed_lines(report_with(EvidencePart(input="a.txt (packets 2)", frames=[1])), places)
    of_other = with_printed_lines(report_with(EvidencePart(input="b.pcap", frames=[1])), places)
    assert [(e.input, e.lines) for e in of_first.findings[0].evidence] == [
        ("a.txt (packets)", []),
        (text, [3, 9]),
    ]
    assert of_second.findings[0].evidence[1].lines == [7]
    assert len(of_other.findings[0].evidence) == 1
