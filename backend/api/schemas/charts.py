"""Timeline, connections and frames as the API shows them; absolute times are decimal texts of epoch ns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from backend.api.schemas.table_rows import of_row
from backend.forensics.report import EvidencePart, LanePart
from backend.services.cluster_marks import TimelineMark as MarkRecord
from backend.services.jump_in_packets import PacketSlice
from backend.services.list_packets import PacketLine as LineRecord
from backend.services.list_packets import PacketPage
from backend.services.show_connections import ConnectionPage as PageRecord
from backend.services.show_connections import ConnectionStory
from backend.services.show_timeline import Timeline as TimelineRecord

Outcome = Literal["established", "refused", "unreachable", "unanswered", "partial"]


class _FromRecord(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Span(BaseModel):
    """All data, in ns after t0."""

    from_: int = Field(alias="from")
    to: int


class TimelineLane(_FromRecord):
    """A row of the chart; the four lists belong together, one entry a bucket that holds a packet."""

    id: str
    name: str
    role: str
    captured: bool
    note: str
    first: int | None
    last: int | None
    packets_total: int
    findings: list[str] = []
    """Ids of the findings that have a mark on it."""
    start: list[int]
    packets: list[int]
    bytes: list[int]
    syns: list[int]


class TimelinePacket(_FromRecord):
    """A single packet."""

    t: int
    lane: str
    frame: int
    input: str
    what: str
    src: str
    dst: str
    len: int
    cid: int | None
    group: str | None = None
    """Its lane where lanes are groups of connections; empty where that lane was not asked for."""


class TimelineMark(_FromRecord):
    """Something a finding draws."""

    id: str
    glyph: str
    role: str
    basis: str
    t: int
    t_end: int | None
    lanes: list[str]
    label: str
    finding: str
    instance: int | None
    evidence: list[EvidencePart]
    value: float | None
    count: int | None


class TimelineGap(BaseModel):
    """Time that no mark touches, whole even where it reaches out of the window."""

    from_: int = Field(alias="from")
    to: int


class LanesLeft(_FromRecord):
    """Lanes that were not asked for, and how many findings are about one of them."""

    lanes: int
    findings: int


class Timeline(BaseModel):
    """What the chart draws of a window. All times but t0 are ns after t0."""

    t0: str
    span: Span
    from_: int = Field(alias="from")
    to: int
    bucket_ns: int
    mode: Literal["density", "packets"]
    lanes: list[TimelineLane]
    packets: list[TimelinePacket]
    marks: list[TimelineMark]
    marks_total: int
    complete_until_ns: int | None
    gaps: list[TimelineGap] = []
    """Those asked for."""
    lanes_left: LanesLeft

    @classmethod
    def of(cls, found: TimelineRecord) -> Timeline:
        """The service's answer in the API's words."""
        # By a mapping, for `from` is no name that Python can pass.
        return cls.model_validate(
            {
                "t0": str(found.t0_ns),
                "span": {"from": 0, "to": found.span_to},
                "from": found.from_t,
                "to": found.to_t,
                "bucket_ns": found.bucket_ns,
                "mode": "density" if found.packets is None else "packets",
                "lanes": [TimelineLane.model_validate(lane) for lane in found.lanes],
                "packets": [TimelinePacket.model_validate(packet) for packet in found.packets or ()],
                "marks": marks(found.marks),
                "marks_total": found.marks_total,
                "complete_until_ns": found.span_to,
                "gaps": [{"from": gap.from_t, "to": gap.to_t} for gap in found.gaps],
                "lanes_left": LanesLeft.model_validate(found.lanes_left),
            }
        )


def marks(found: tuple[MarkRecord, ...]) -> list[TimelineMark]:
    """Marks in the API's words."""
    return [TimelineMark.model_validate(mark) for mark in found]


class Sighting(BaseModel):
    """A connection at one vantage point; `connection` is its number in that input's tables."""

    vantage: str
    input: str
    connection: int


class Connection(BaseModel):
    """One logical connection over all vantage points."""

    cid: int
    protocol: str
    client: str
    client_port: int
    server: str
    server_port: int
    start_ns: str
    end_ns: str
    connect_ms: float | None
    tries: int
    retry_gaps_s: list[float]
    outcome: Outcome
    nat_client: str | None
    nat_client_port: int | None
    nat_server: str | None
    nat_server_port: int | None
    client_bytes: int
    server_bytes: int
    packets: int
    seen_at: list[str]
    missing_at: list[str]
    sightings: list[Sighting]
    finding_ids: list[str]
    instance: int | None
    joined_because: str

    @classmethod
    def of(cls, row: dict[str, Any]) -> Connection:
        """A row of the table; times become texts, for JavaScript's numbers end at 2^53."""
        return of_row(cls, {**row, "start_ns": str(row["start_ns"]), "end_ns": str(row["end_ns"])})


class ConnectionList(BaseModel):
    """A page of connections."""

    items: list[Connection]
    total: int
    next_cursor: str | None
    outcomes: list[Outcome]
    """All outcomes there are, to filter by."""

    @classmethod
    def of(cls, page: PageRecord) -> ConnectionList:
        """The service's answer in the API's words."""
        return cls(
            items=[Connection.of(row) for row in page.items],
            total=page.total,
            next_cursor=page.next_cursor,
            outcomes=list(get_args(Outcome)),
        )


class ConnectionPacket(BaseModel):
    """A packet of a connection at one vantage point; times are on the clock that all captures share."""

    time_ns: str
    t_rel_ns: int
    lane: str
    input: str
    frame: int
    from_client: bool
    what: str
    source: str
    destination: str
    flags: str
    sequence: int
    acknowledgement: int
    payload_bytes: int
    timestamp_value: int | None
    ip_id: int
    tunnel: str = ""
    """What it was wrapped in, from the outside in; empty for nothing."""
    marks: list[str]
    """What the TCP analysis of this vantage point says of it, in words: ``fast retransmission``."""


class JoinedFrame(_FromRecord):
    """A frame of another capture point."""

    lane: str
    input: str
    frame: int


class PacketLine(_FromRecord):
    """A packet as a line of a list; `t` is ns after t0. Times are on the clock that all captures share; a frame by
    itself shows its file's."""

    time_ns: str
    t: int
    lane: str
    input: str
    frame: int
    what: str
    protocol: str
    source: str
    destination: str
    flags: str
    sequence: int
    acknowledgement: int
    payload_bytes: int
    original_bytes: int
    cid: int | None
    info: str = ""
    """What is seen in it, and the message that begins in it."""
    joined: list[JoinedFrame] = []
    """The same packet at other capture points."""
    findings: list[str] = []
    """Ids of the findings that it is evidence of."""


class PacketList(BaseModel):
    """A page of packets in order of time; the whole is counted where a place in it was asked for."""

    items: list[PacketLine]
    next_cursor: str | None
    total: int | None = None

    @classmethod
    def of(cls, page: PacketPage) -> PacketList:
        """The service's answer in the API's words."""
        return cls(items=_packet_lines(page.items), next_cursor=page.next_cursor)

    @classmethod
    def part(cls, part: PacketSlice) -> PacketList:
        """The same of a part of the list by its place."""
        return cls(items=_packet_lines(part.items), next_cursor=None, total=part.total)


def _packet_lines(lines: Iterable[LineRecord]) -> list[PacketLine]:
    return [PacketLine.model_validate({**vars(line), "time_ns": str(line.time_ns)}) for line in lines]


class FilterSuggestion(_FromRecord):
    """A text that may stand there, and how many packets have it."""

    text: str
    why: str
    packets: int | None


class FilterSuggestions(_FromRecord):
    """What may replace the characters from `begin` to the cursor."""

    begin: int
    items: list[FilterSuggestion]


class RailMark(_FromRecord):
    """A place beside the list of packets: of a time, or of a mark of a finding."""

    offset: int
    t: int
    """ns after t0"""
    finding: str | None


class PacketRail(_FromRecord):
    """Round times and marks of findings by their place in the list."""

    items: list[RailMark]


class PacketPlace(BaseModel):
    """Where a packet stands in the list."""

    offset: int
    """0 is the first."""


class Filters(BaseModel):
    """Wireshark display filters: exactly these frames of the first file, and the connection anywhere."""

    frame_filter: str
    portable_filter: str


class ConnectionDetail(BaseModel):
    """One connection with its packets over all vantage points."""

    connection: Connection
    lanes: list[LanePart]
    packets: list[ConnectionPacket]
    marks: list[TimelineMark]
    usual_connect_ms: float | None
    previous_cid: int | None
    next_cid: int | None
    filters: Filters

    @classmethod
    def of(cls, story: ConnectionStory) -> ConnectionDetail:
        """The service's answer in the API's words."""
        return cls(
            connection=Connection.of(story.connection),
            lanes=list(story.lanes),
            packets=[ConnectionPacket(**{**vars(p), "time_ns": str(p.time_ns)}) for p in story.packets],
            marks=marks(story.marks),
            usual_connect_ms=story.usual_connect_ms,
            previous_cid=story.previous_cid,
            next_cid=story.next_cid,
            filters=Filters(frame_filter=story.frame_filter, portable_filter=story.portable_filter),
        )


class FrameColumn(_FromRecord):
    """A decoded value."""

    name: str
    value: str | int | None
    unit: str
    meaning: str


class Frame(_FromRecord):
    """One frame."""

    file: str
    input: str
    frame: int
    columns: list[FrameColumn]
    raw: str | None = None
