"""A link to one finding: what it is about, the frames and lines that prove it, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from backend.errors import NotFound
from backend.forensics.report import DiagnosisPart, EvidencePart, FindingPart, Report
from backend.services.open_tables import epoch_ns, span_of
from backend.services.redaction.declared import Asked
from backend.services.redaction.place import NOT_SHARED, Place, whole_or
from backend.services.redaction.report_part import ReportPart

AROUND = 0.1
"""Share of the finding's own length that is shown before and after it."""


@dataclass(frozen=True)
class FindingScope:
    """One finding of a report."""

    report: Report
    finding_id: str

    @cached_property
    def finding(self) -> FindingPart:
        """The finding; raises NotFound when the last analysis does not make it any more."""
        found = next((each for each in self.report.findings if each.id == self.finding_id), None)
        if found is None:
            raise NotFound("The finding that was shared is not in the last analysis.")
        return found

    @cached_property
    def diagnoses(self) -> list[DiagnosisPart]:
        """Those that rest on the finding."""
        return [each for each in self.report.diagnoses if self.finding_id in each.findings]

    def ask(self, place: Place, query: str) -> str:
        """The query, narrowed to the finding; raises NotFound for any other place."""
        opened = place.declared.shareable
        is_other = place.parameters.get("finding_id", self.finding_id) != self.finding_id
        if opened is None or not opened.finding or is_other:
            raise NotFound(NOT_SHARED)
        asked = dict(parse_qsl(query, keep_blank_values=True))
        for key in place.declared.keys(Asked.FINDING, Asked.FINDING_ALONE):
            asked[key] = self.finding_id
        if place.route == "timeline":
            asked |= self._window(asked)
        if "file_id" in place.parameters and not self.is_evidence(place):
            raise NotFound(NOT_SHARED)
        return urlencode(asked)

    def answer(self, place: Place, content: Any) -> Any:
        """The answer without what belongs to other findings; raises NotFound."""
        part = ReportPart(self.report, frozenset({self.finding_id}), self.inputs)
        narrowed = part.answer(place.route, content)
        is_connection = place.route == "connections/{cid}"
        if is_connection and self.finding_id not in content["connection"]["finding_ids"]:
            raise NotFound(NOT_SHARED)
        if place.route == "files/{file_id}/lines":
            shown = self._lines.get(place.parameters["file_id"], frozenset())
            return {**content, "lines": [line for line in content["lines"] if line["n"] in shown]}
        if place.route == "notes":
            return {"items": [note for note in content["items"] if self.is_subject_of(note)]}
        return narrowed

    def is_subject_of(self, note: Any) -> bool:
        """Whether a note is about the finding, or disagrees with what rests on it."""
        if note["diagnosis"] and any(each.id for each in self.diagnoses):
            return note["diagnosis"] in {each.id for each in self.diagnoses}
        return note["finding"] == self.finding_id or note["cause"] in {each.cause for each in self.diagnoses}

    def _window(self, asked: dict[str, str]) -> dict[str, str]:
        begin_ns, _ = span_of(self.report)
        shown = [epoch_ns(text) - begin_ns for text in (self.finding.first, self.finding.last) if text]
        first, last = min(shown, default=0), max(shown, default=0)
        margin = max(int((last - first) * AROUND), 1_000_000)
        low, high = max(0, first - margin), last + margin
        start = min(max(whole_or(asked.get("from"), low), low), high)
        end = max(min(whole_or(asked.get("to"), high), high), start)
        return {"from": str(start), "to": str(end)}

    def is_evidence(self, place: Place) -> bool:
        """Whether a frame, or any line of a file, is proof of the finding or of what rests on it."""
        file = place.parameters["file_id"]
        if place.route == "frames/{file_id}/{number}":
            return place.whole("number") in self._frames.get(file, frozenset())
        return place.route == "files/{file_id}/lines" and bool(self._lines.get(file))

    @cached_property
    def _proof(self) -> list[EvidencePart]:
        claims = [part for each in self.diagnoses for claim in each.claims for part in claim.evidence]
        marks = [part for mark in self.finding.marks for part in mark.evidence]
        return [*self.finding.evidence, *claims, *marks]

    @cached_property
    def inputs(self) -> frozenset[str]:
        """Names of the files that hold its proof."""
        return frozenset(part.input for part in self._proof)

    @cached_property
    def _frames(self) -> dict[str, frozenset[int]]:
        return {name: self._numbers(name, "frames") for name in self.inputs}

    @cached_property
    def _lines(self) -> dict[str, frozenset[int]]:
        return {name: self._numbers(name, "lines") for name in self.inputs}

    def _numbers(self, name: str, sort: str) -> frozenset[int]:
        return frozenset(n for part in self._proof if part.input == name for n in getattr(part, sort) or ())
