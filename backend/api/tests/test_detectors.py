from __future__ import annotations

import httpx

from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.diagnosis.run import discover_causes


def test_each_detector_gives_its_rule_with_thresholds(client: httpx.Client) -> None:
    items = client.get("/api/v1/detectors").json()["items"]
    assert [item["kind"] for item in items] == [detector.kind for detector in discover_detectors()]
    assert items
    for item in items:
        assert "## Thresholds" in item["rule"]


def test_each_cause_gives_its_page(client: httpx.Client) -> None:
    items = client.get("/api/v1/causes").json()["items"]
    assert [item["cause"] for item in items] == [name for name, _ in discover_causes()]
    for item in items:
        assert item["page"].startswith(f"# {item['title']}\n")
        assert "## Mechanism" in item["page"]
