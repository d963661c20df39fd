"""The part of an investigation that a reader may see: all of it, or what a share link was made for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from backend.errors import InvalidRequest, NotFound
from backend.forensics.report import DiagnosisPart, EvidencePart, FindingPart, InputPart, Report
from backend.services.packet_language.tokens import tokens_of
from backend.storage.packet_fields import PACKET_FIELDS
from backend.storage.records import Note

NOT_SHARED: Final = "This is not part of what was shared."
ONLY_FIELDS: Final = "A link to one view takes filters on packet contents, not on vantage points or findings."
ALL_PACKETS: Final = "frame.number > 0"
"""Asked where a view has no filter: what is asked of packets is counted packet by packet, and exact at the ends."""
_OF_ALL_FINDINGS: Final = frozenset(
    {"schema_", "label", "created", "tool", "lanes", "inputs", "findings", "diagnoses", "notes"}
)
"""Fields of a report that are shown of a part, too. Every other one is as empty as it may be."""


@dataclass(frozen=True)
class View:
    """A window in ns after t0, the end excluded, and what passes in it."""

    from_ns: int
    to_ns: int
    filter: str
    lanes: tuple[str, ...]
    """Empty for all."""
    holds_packet: Callable[[View, tuple[str, int]], bool]
    """Whether a frame (input, number) is in the view."""

    @property
    def is_narrowed(self) -> bool:
        """Whether it holds only some of the packets of its window."""
        return bool(self.filter or self.lanes)

    @property
    def within(self) -> tuple[str, ...]:
        """Filters that a packet of the view passes, every one of them."""
        lanes = " || ".join(f'lane == "{_quoted(lane)}"' for lane in self.lanes)
        return tuple(each for each in (self.filter, lanes) if each) or (ALL_PACKETS,)

    def clamped(self, from_ns: int | None, to_ns: int | None) -> tuple[int, int]:
        """What of that window is in this one, at least 1 ns; None is an open end."""
        low, high = self.from_ns, self.to_ns
        start = min(max(low if from_ns is None else from_ns, low), high - 1)
        return start, max(min(high if to_ns is None else to_ns, high), start + 1)

    def touches(self, begin_ns: int, end_ns: int) -> bool:
        """Whether something that lasted from the one to the other, both included, is partly in the window."""
        return begin_ns < self.to_ns and end_ns >= self.from_ns


@dataclass(frozen=True)
class Scope:
    """What is shown; without fields everything."""

    findings: frozenset[str] | None = None
    """Ids of those shown; None for all."""
    finding_id: str | None = None
    """The only one that answers may be about."""
    diagnoses: tuple[DiagnosisPart, ...] = ()
    """Those that rest on that one."""
    inputs: frozenset[str] = frozenset()
    """Names of the files that are shown of a part."""
    proof: tuple[EvidencePart, ...] = ()
    """Frames and lines that are shown wherever they lie."""
    chart: tuple[int, int] | None = None
    """The longest stretch that the timeline shows, in ns after t0, where there is no view."""
    view: View | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return self.findings is None

    @property
    def within(self) -> tuple[str, ...]:
        """Filters that every packet shown passes."""
        return () if self.view is None else self.view.within

    def shows_finding(self, finding_id: str) -> bool:
        """Whether it is one of those shown."""
        return self.findings is None or finding_id in self.findings

    def shows_lane(self, lane: str) -> bool:
        """Whether what was captured there is shown."""
        return self.view is None or not self.view.lanes or lane in self.view.lanes

    def shows_input(self, name: str) -> bool:
        """Whether a file is listed."""
        return self.is_whole or name in self.inputs

    def shown_findings(self, finding_ids: Iterable[str]) -> tuple[str, ...]:
        """Those of them that are shown."""
        return tuple(filter(self.shows_finding, finding_ids))

    def window(self, from_ns: int | None, to_ns: int | None) -> tuple[int | None, int | None]:
        """The window that may be read of the one that is asked for."""
        return (from_ns, to_ns) if self.view is None else self.view.clamped(from_ns, to_ns)

    def chart_window(self, from_ns: int | None, to_ns: int | None) -> tuple[int | None, int | None]:
        """The same for the timeline."""
        if self.view is not None or self.chart is None:
            return self.window(from_ns, to_ns)
        low, high = self.chart
        start = min(max(low if from_ns is None else from_ns, low), high)
        return start, max(min(high if to_ns is None else to_ns, high), start)

    def check_filter(self, text: str | None) -> None:
        """Raises InvalidRequest for a filter by vantage points or findings, which a part has not all of."""
        if self.view is None:
            return
        # A mistake in the name of a vantage point would be answered with those there are.
        for token in tokens_of(text or ""):
            field = PACKET_FIELDS.get(token.value.lower())
            if field is not None and field.kind in ("place", "name"):
                raise InvalidRequest(ONLY_FIELDS)

    def check_frame(self, name: str, number: int) -> None:
        """Raises NotFound for a frame that is neither proof nor in the view."""
        if self.is_whole or number in self._numbers(name, "frames"):
            return
        if self.view is None or not self.view.holds_packet(self.view, (name, number)):
            raise NotFound(NOT_SHARED)

    def shown_lines(self, name: str) -> frozenset[int] | None:
        """Lines of a file that are shown, None for all; raises NotFound where there are none."""
        if self.is_whole:
            return None
        lines = self._numbers(name, "lines")
        if not lines:
            raise NotFound(NOT_SHARED)
        return lines

    def _numbers(self, name: str, sort: str) -> frozenset[int]:
        return frozenset(n for part in self.proof if part.input == name for n in getattr(part, sort) or ())

    def check_span(self, begin_ns: int, end_ns: int | None, t0_ns: int) -> None:
        """Raises NotFound for what lies outside the view altogether; both times are since 1970."""
        begin = begin_ns - t0_ns
        if self.view is not None and not self.view.touches(begin, end_ns - t0_ns if end_ns else begin):
            raise NotFound(NOT_SHARED)

    def shows_note(self, note: Note) -> bool:
        """About the finding, or what rests on it; in a view also at a time in it, and about nothing else."""
        if self.is_whole or (self.finding_id is not None and self._is_subject_of(note)):
            return True
        begin = note.from_ns
        is_of_view = begin is not None and not (note.finding_id or note.cause)
        if self.view is None or begin is None or not is_of_view:
            return False
        end = note.to_ns if note.to_ns is not None else begin
        return (not note.lane or self.shows_lane(note.lane)) and self.view.touches(begin, end)

    def _is_subject_of(self, note: Note) -> bool:
        ids = {each.id for each in self.diagnoses if each.id}
        if note.diagnosis_id and ids:
            return note.diagnosis_id in ids
        return note.finding_id == self.finding_id or note.cause in {each.cause for each in self.diagnoses}

    def tables_part(self, report: Report) -> Report:
        """With the findings and lanes that are shown; the rest stays, for what is read by it."""
        if self.is_whole:
            return report
        lanes = [lane for lane in report.lanes if self.shows_lane(lane.id)]
        return report.model_copy(update={"findings": self._own(report), "lanes": lanes})

    def part_of(self, report: Report) -> Report:
        """The report of what is shown, and no sign of the rest."""
        if self.is_whole:
            return report
        diagnoses = self.resting(report)
        ids = {each.id for each in diagnoses if each.id}
        empty: dict[str, Any] = {
            name: field.get_default(call_default_factory=True) if not field.is_required() else []
            for name, field in Report.model_fields.items()
            if name not in _OF_ALL_FINDINGS
        }
        notes = [each for each in report.notes if self.shows_finding(each.finding) or each.diagnosis in ids]
        shown = {
            "inputs": [self._part_of_input(each) for each in report.inputs if self.shows_input(each.name)],
            "findings": self._own(report),
            "diagnoses": diagnoses,
            "lanes": [lane for lane in report.lanes if self.shows_lane(lane.id)],
            "notes": notes,
        }
        return report.model_copy(update={**empty, **shown})

    def _part_of_input(self, part: InputPart) -> InputPart:
        points = [each for each in part.vantage_points if self.shows_lane(each.id)]
        return part.model_copy(update={"vantage_points": points})

    def _own(self, report: Report) -> list[FindingPart]:
        return [each for each in report.findings if self.shows_finding(each.id)]

    def resting(self, report: Report) -> list[DiagnosisPart]:
        """Diagnoses of the findings that are shown, with those alone."""
        shared = ((each, list(self.shown_findings(each.findings))) for each in report.diagnoses)
        return [each.model_copy(update={"findings": found}) for each, found in shared if found]


WHOLE: Final = Scope()


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
