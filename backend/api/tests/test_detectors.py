from __future__ import annotations

import httpx

from backend.forensics.detection.discovery import discover_detectors


def test_each_detector_gives_its_rule_with_thresholds(client: httpx.Client) -> None:
    items = client.get("/api/v1/detectors").json()["items"]
    assert [item["kind"] for item in items] == [detector.kind for detector in discover_detectors()]
    assert items
    for item in items:
        assert "## Thresholds" in item["rule"]
