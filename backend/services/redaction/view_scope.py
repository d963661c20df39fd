"""A link to one view: a window, its filter and lanes, and the finding that was looked at; nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from backend.errors import InvalidRequest, NotFound
from backend.forensics.report import MarkPart, Report
from backend.services.open_tables import epoch_ns, span_of
from backend.services.packet_language.tokens import tokens_of
from backend.services.redaction.declared import Asked, Declared
from backend.services.redaction.finding_scope import FindingScope
from backend.services.redaction.place import NOT_SHARED, Place, whole_or
from backend.services.redaction.report_part import ReportPart
from backend.services.redaction.view_limits import ViewLimits
from backend.storage.packet_fields import PACKET_FIELDS

ONLY_FIELDS: Final = "A link to one view takes filters of what is in the packets, not of places or findings."


@dataclass(frozen=True)
class ViewScope:
    """One view of a report. `finding` is None where none was looked at."""

    report: Report
    limits: ViewLimits
    finding: FindingScope | None
    holds_packet: Callable[[tuple[str, int]], bool]
    """Whether a frame (input, number) is in the view."""

    def ask(self, place: Place, query: str) -> str:
        """The query, narrowed to the view; raises NotFound for any other place."""
        if not self._is_open(place.declared) or not self._is_part(place):
            raise NotFound(NOT_SHARED)
        keys = place.declared.keys
        whole_time = keys(Asked.WHOLE_TIME)
        asked = [each for each in parse_qsl(query, keep_blank_values=True) if each[0] not in whole_time]
        for key in keys(Asked.WITHIN):
            _check_filter(dict(asked).get("filter", ""))
            asked += [(key, text) for text in self.limits.within]
        if keys(Asked.FRAME) and "t" not in dict(asked):
            self._check_frame(dict(asked))
        if self.finding is not None:
            asked += [(key, self.finding.finding_id) for key in keys(Asked.FINDING_ALONE)]
        window = keys(Asked.WINDOW)
        if window:
            asked = [each for each in asked if each[0] not in window] + self._window(dict(asked))
        return urlencode(asked)

    def _is_open(self, declared: Declared) -> bool:
        """What is no list of packets cannot be narrowed by a filter of packets or by lanes."""
        of_view = declared.shareable.view if declared.shareable is not None else "closed"
        return of_view == "open" or (of_view == "unfiltered" and not self.limits.is_narrowed)

    def answer(self, place: Place, content: Any) -> Any:
        """The answer without what lies outside the view; raises NotFound."""
        if place.route == "files/{file_id}/lines" and self.finding is not None:
            return self.finding.answer(place, content)
        content = ReportPart(self.report, self.findings, self.inputs).answer(place.route, content)
        narrowed = _NARROWED.get(place.route)
        if narrowed is not None:
            return narrowed(self, content)
        if place.route == "connections/{cid}":
            return self._connection(content)
        if place.route == "requests/{rid}":
            self._check_touches(content["request"]["at_ns"], content["request"]["end_ns"])
            return {**content, "fast_rid": None}
        return content

    @cached_property
    def findings(self) -> frozenset[str]:
        """The finding that was looked at, or those with a mark in the window."""
        if self.finding is not None:
            return frozenset({self.finding.finding.id})
        marked = (each for each in self.report.findings if any(map(self._is_marked, each.marks)))
        return frozenset(each.id for each in marked)

    @cached_property
    def inputs(self) -> frozenset[str]:
        """Captures with a lane in the view, and the files that prove the finding."""
        shown = [lane for lane in self.report.lanes if self._shows(lane.id)]
        names = {each.rpartition("#")[0] for lane in shown for each in (lane.id, *lane.parts)}
        captures = {part.name for part in self.report.inputs if part.packets} & names
        return frozenset(captures) | (self.finding.inputs if self.finding else frozenset())

    @cached_property
    def _t0_ns(self) -> int:
        return span_of(self.report)[0]

    def _is_part(self, place: Place) -> bool:
        finding = place.parameters.get("finding_id")
        if finding is not None:
            return finding in self.findings
        if "file_id" not in place.parameters:
            return True
        if self.finding is not None and self.finding.is_evidence(place):
            return True
        is_frame = place.route == "frames/{file_id}/{number}"
        return is_frame and self.holds_packet((place.parameters["file_id"], place.whole("number")))

    def _check_frame(self, asked: dict[str, str]) -> None:
        """Its place in the list would tell whether there is such a frame."""
        if not self.holds_packet((asked.get("input", ""), whole_or(asked.get("frame"), 1))):
            raise NotFound(NOT_SHARED)

    def _window(self, asked: dict[str, str]) -> list[tuple[str, str]]:
        low, high = self.limits.from_ns, self.limits.to_ns
        start = min(max(whole_or(asked.get("from"), low), low), high - 1)
        end = max(min(whole_or(asked.get("to"), high), high), start + 1)
        return [("from", str(start)), ("to", str(end))]

    def _shows(self, lane: str) -> bool:
        return not self.limits.lanes or lane in self.limits.lanes

    def _is_marked(self, mark: MarkPart) -> bool:
        begin = epoch_ns(mark.start) - self._t0_ns
        end = epoch_ns(mark.end) - self._t0_ns if mark.end else begin
        seen = not self.limits.lanes or any(map(self._shows, mark.lanes))
        return seen and begin < self.limits.to_ns and end >= self.limits.from_ns

    def _is_noted(self, note: Any) -> bool:
        if self.finding is not None and self.finding.is_subject_of(note):
            return True
        begin = note["from"]
        if (
            begin is None
            or note["finding"]
            or note["cause"]
            or not (not note["lane"] or self._shows(note["lane"]))
        ):
            return False
        end = note["to"] if note["to"] is not None else begin
        return bool(begin < self.limits.to_ns and end >= self.limits.from_ns)

    def _report(self, content: Any) -> Any:
        return {**content, "lanes": [lane for lane in content["lanes"] if self._shows(lane["id"])]}

    def _timeline(self, content: Any) -> Any:
        lanes = [
            {**lane, "findings": [each for each in lane["findings"] if each in self.findings]}
            for lane in content["lanes"]
            if self._shows(lane["id"])
        ]
        marks = [
            {**mark, "lanes": [lane for lane in mark["lanes"] if self._shows(lane)]}
            for mark in content["marks"]
            if not mark["lanes"] or any(map(self._shows, mark["lanes"]))
        ]
        return {**content, "lanes": lanes, "marks": marks, "marks_total": len(marks)}

    def _packets(self, content: Any) -> Any:
        return {**content, "items": [self._packet(line) for line in content["items"]]}

    def _rail(self, content: Any) -> Any:
        return {"items": [each for each in content["items"] if each["finding"] in (None, *self.findings)]}

    def _notes(self, content: Any) -> Any:
        return {"items": [note for note in content["items"] if self._is_noted(note)]}

    def _packet(self, line: Any) -> Any:
        return {
            **line,
            "findings": [each for each in line["findings"] if each in self.findings],
            "joined": [each for each in line["joined"] if self._shows(each["lane"])],
        }

    def _connection(self, content: Any) -> Any:
        row = content["connection"]
        self._check_touches(row["start_ns"], row["end_ns"])
        low, high = self.limits.from_ns, self.limits.to_ns
        return {
            **content,
            "packets": [packet for packet in content["packets"] if low <= packet["t_rel_ns"] < high],
            # They may lie outside, and the filter would list frames that do.
            "previous_cid": None,
            "next_cid": None,
            "success_cid": None,
            "filters": {**content["filters"], "frame_filter": ""},
        }

    def _check_touches(self, start_ns: str, end_ns: str | None) -> None:
        begin = int(start_ns) - self._t0_ns
        end = int(end_ns) - self._t0_ns if end_ns else begin
        if begin >= self.limits.to_ns or end < self.limits.from_ns:
            raise NotFound(NOT_SHARED)


_NARROWED: Final[dict[str, Callable[[ViewScope, Any], Any]]] = {
    "report": ViewScope._report,
    "report/outline": ViewScope._report,
    "timeline": ViewScope._timeline,
    "packets": ViewScope._packets,
    "packets/rail": ViewScope._rail,
    "notes": ViewScope._notes,
}


def _check_filter(text: str) -> None:
    """A mistake in the name of a place would be answered with the places there are."""
    for token in tokens_of(text):
        field = PACKET_FIELDS.get(token.value.lower())
        if field is not None and field.kind in ("place", "name"):
            raise InvalidRequest(ONLY_FIELDS)
