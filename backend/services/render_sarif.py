"""SARIF 2.1.0 (OASIS, 2020): findings as results, and what became of them as their `baselineState`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from backend.forensics.comparison.result import Comparison
from backend.forensics.report import EvidencePart, FindingPart, Report
from backend.services.comparison_words import Change, all_changes, kind_of, name_of, severity_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"info": "note", "warning": "warning", "critical": "error"}
BASELINE = {"new": "new", "worse": "updated", "better": "updated", "gone": "absent", "same": "unchanged"}
"""SARIF 2.1.0 section 3.27.24; what cannot be determined has none."""
FRAMES_LISTED = 20

Result = dict[str, Any]


def render_comparison_sarif(comparison: Comparison) -> str:
    """JSON with a final line end. What is the same and was never found is left out: SARIF lists results."""
    changes = [c for c in all_changes(comparison) if c.state != "same" or hasattr(c, "severity")]
    about = {"verdict": comparison.verdict, "statement": comparison.statement}
    return _document(comparison.tool.version, [_of_change(change) for change in changes], about)


def render_report_sarif(report: Report) -> str:
    """JSON with a final line end: every finding, where its evidence lies."""
    about = {"label": report.label, "causes": [d.cause for d in report.diagnoses]}
    return _document(report.tool.version, [_of_finding(finding) for finding in report.findings], about)


def _document(version: str, results: Sequence[Result], about: dict[str, Any]) -> str:
    kinds = sorted({result["ruleId"] for result in results})
    rules = [{"id": kind, "shortDescription": {"text": kind}} for kind in kinds]
    run = {
        "tool": {"driver": {"name": "Stallscope", "version": version, "rules": rules}},
        "results": [result | {"ruleIndex": kinds.index(result["ruleId"])} for result in results],
        "properties": about,
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _of_change(change: Change) -> Result:
    worse = change.state in ("new", "worse")
    result: Result = {
        "ruleId": kind_of(change),
        "level": LEVELS[severity_of(change)] if worse else "note",
        "message": {"text": f"{name_of(change)} is {change.state}: {change.because}"},
        "properties": {"state": change.state},
    }
    if change.state in BASELINE:
        result["baselineState"] = BASELINE[change.state]
    if change.destination:
        result["locations"] = [{"logicalLocations": [_place(change.destination)]}]
    return result


def _of_finding(finding: FindingPart) -> Result:
    where = [str(each["destination"]) for each in finding.affected if each.get("destination")]
    identity = f"{finding.kind} {' '.join(sorted(set(where)))}"
    return {
        "ruleId": finding.kind,
        "level": LEVELS[finding.severity],
        "message": {"text": f"{finding.title}. {finding.summary}"},
        "locations": [_location(evidence, where[:1]) for evidence in finding.evidence],
        "partialFingerprints": {"stallscope/v1": hashlib.sha256(identity.encode()).hexdigest()},
        "properties": {"count": finding.count, "time_lost_s": finding.time_lost_s},
    }


def _location(evidence: EvidencePart, where: Sequence[str]) -> Result:
    """A dump's lines are a region; a capture has no lines, so its frames are described in words."""
    physical: Result = {"artifactLocation": {"uri": quote(evidence.input)}}
    if evidence.lines:
        physical["region"] = {"startLine": min(evidence.lines), "endLine": max(evidence.lines)}
    location: Result = {"physicalLocation": physical}
    if evidence.frames:
        frames = ", ".join(str(frame) for frame in evidence.frames[:FRAMES_LISTED])
        more = " …" if len(evidence.frames) > FRAMES_LISTED else ""
        location["message"] = {"text": f"frames {frames}{more}"}
    if where:
        location["logicalLocations"] = [_place(name) for name in where]
    return location


def _place(name: str) -> Result:
    return {"name": name, "kind": "resource"}
