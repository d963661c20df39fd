"""Answers about an investigation with some of its findings only, and no sign of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from backend.forensics.report import Report

_LEFT_OUT: Final[dict[str, Any]] = {
    "checked": [], "account": None, "requests": None, "destinations": [], "counters": [], "quality": [], "not_used": [],
    "not_used_total": 0, "outcomes": [],
    "destinations_total": 0, "groups": [], "names": [], "names_total": 0,
}  # fmt: skip


@dataclass(frozen=True)
class ReportPart:
    """These findings, what rests on them, and these files."""

    report: Report
    findings: frozenset[str]
    inputs: frozenset[str]

    def answer(self, place: str, content: Any) -> Any:
        """The answer of that place below a link."""
        if place in ("report", "report/outline"):
            return self._report(content)
        if place in ("findings", "report/findings"):
            total = {"total": len(self.findings)} if "total" in content else {}
            return {"items": self._own(content["items"]), **total}
        if place == "diagnoses":
            return {"items": self._resting(content["items"])}
        if place == "files":
            return {"items": [each for each in content["items"] if each["name"] in self.inputs]}
        if place == "investigation":
            return self._investigation(content)
        if place == "connections":
            return {**content, "items": [self._connection(row) for row in content["items"]]}
        if place.startswith("connections/"):
            return {**self._marked(content), "connection": self._connection(content["connection"])}
        return self._marked(content) if place == "timeline" else content

    def _report(self, content: Any) -> Any:
        inputs = [each for each in content["inputs"] if each["name"] in self.inputs]
        resting = self._resting(content["diagnoses"])
        shown = {each["id"] for each in resting}
        notes = [
            each
            for each in content.get("notes", [])
            if each["finding"] in self.findings or (each["diagnosis"] and each["diagnosis"] in shown)
        ]
        totals = {
            "findings_total": len(self.findings),
            "diagnoses_total": len(resting),
            "inputs_total": len(inputs),
        }
        left_out = {key: empty for key, empty in _LEFT_OUT.items() if key in content}
        return {
            **content,
            **left_out,
            "findings": self._own(content["findings"]),
            "diagnoses": resting,
            "inputs": inputs,
            **({"notes": notes} if "notes" in content else {}),
            **{key: total for key, total in totals.items() if key in content},
        }

    def _own(self, items: list[Any]) -> list[Any]:
        return [each for each in items if each["id"] in self.findings]

    def _resting(self, items: list[Any]) -> list[Any]:
        shared = [(each, [found for found in each["findings"] if found in self.findings]) for each in items]
        return [{**each, "findings": found} for each, found in shared if found]

    def _investigation(self, content: Any) -> Any:
        """The verdict is the first of what is shown; the list of investigations is not for viewers."""
        resting = [each for each in self.report.diagnoses if self.findings.intersection(each.findings)]
        first = resting[0] if resting else None
        verdict = None
        if first is not None:
            keys = ("cause", "title", "verdict", "statement", "role")
            verdict = {key: getattr(first, key) for key in keys}
        return {
            **content,
            "verdict": verdict,
            "time_lost_s": sum(each.time_lost_s for each in resting),
            "files_total": len(self.inputs),
            "packets_total": sum(part.packets for part in self.report.inputs if part.name in self.inputs),
        }

    def _connection(self, row: Any) -> Any:
        found = [each for each in row["finding_ids"] if each in self.findings]
        return {**row, "finding_ids": found, "instance": row["instance"] if found else None}

    def _marked(self, content: Any) -> Any:
        marks = [mark for mark in content["marks"] if mark["finding"] in self.findings]
        return {**content, "marks": marks}
