"""A comparison as SARIF 2.1.0 (OASIS, 2020): results with their `baselineState`."""

from __future__ import annotations

import json
from typing import Any

from backend.forensics.comparison.result import Comparison
from backend.services.comparison_words import Change, all_changes, kind_of, name_of, severity_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"info": "note", "warning": "warning", "critical": "error"}
BASELINE = {"new": "new", "worse": "updated", "better": "updated", "gone": "absent", "same": "unchanged"}
"""SARIF 2.1.0 section 3.27.24; what cannot be told has none."""


def render_comparison_sarif(comparison: Comparison) -> str:
    """JSON with a final line end. What is the same and was never found is left out: SARIF lists results."""
    changes = [c for c in all_changes(comparison) if c.state != "same" or hasattr(c, "severity")]
    kinds = sorted({kind_of(change) for change in changes})
    run = {
        "tool": {
            "driver": {
                "name": "Stallscope",
                "version": comparison.tool.version,
                "rules": [{"id": kind, "shortDescription": {"text": kind}} for kind in kinds],
            }
        },
        "results": [_result(change, kinds) for change in changes],
        "properties": {"verdict": comparison.verdict, "statement": comparison.statement},
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _result(change: Change, kinds: list[str]) -> dict[str, Any]:
    kind = kind_of(change)
    worse = change.state in ("new", "worse")
    result: dict[str, Any] = {
        "ruleId": kind,
        "ruleIndex": kinds.index(kind),
        "level": LEVELS[severity_of(change)] if worse else "note",
        "message": {"text": f"{name_of(change)} is {change.state}: {change.because}"},
        "properties": {"state": change.state},
    }
    if change.state in BASELINE:
        result["baselineState"] = BASELINE[change.state]
    if change.destination:
        place = {"name": change.destination, "kind": "resource"}
        result["locations"] = [{"logicalLocations": [place]}]
    return result
