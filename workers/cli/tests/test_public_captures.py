"""Captures that other projects publish hold no incident: whatever is claimed of them was checked by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workers.cli.main import main

PROBABLE = 0.5
"""Confidence above which a cause is a claim."""

CHECKED = {
    # The interface statistics in the file (blocks of type 5) count 1 + 42 packets dropped at eth0 and 10 at another.
    ("google+gopacket__test101.pcapng", "capture-loss"): 53,
    # The same counts, in two sections of one file.
    ("google+gopacket__test201.pcapng", "capture-loss"): 53,
}
"""By file and kind: the count of each finding above `info` that is true."""


def _reports(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    reports = {}
    for path in sorted((*folder.glob("*.pcap"), *folder.glob("*.pcapng"))):
        assert main(["analyze", str(path), "--json", "-"]) == 0, path.name
        reports[path.name] = json.loads(capsys.readouterr().out)
    return reports


def test_captures_of_strangers_raise_no_alarm(
    extra_captures: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = _reports(extra_captures / "public", capsys)
    assert {name for name, _ in CHECKED} <= reports.keys()
    notable = {
        (name, finding["kind"]): finding["count"]
        for name, report in reports.items()
        for finding in report["findings"]
        if finding["severity"] != "info"
    }
    assert notable == CHECKED
    causes = {
        (name, cause["cause"]): cause["confidence"]
        for name, report in reports.items()
        for cause in report["diagnoses"]
        if cause["confidence"] > PROBABLE
    }
    assert causes == {}
