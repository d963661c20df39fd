"""What a link to one view is narrowed to: checked when it is made, and asked with every question after that."""

from __future__ import annotations

from dataclasses import dataclass

from backend.errors import InvalidRequest, NotFound
from backend.services.list_packets import PacketOptions, list_packets, packet_filter
from backend.services.open_tables import open_tables
from backend.storage.records import ShareView
from backend.storage.store import Store

LANES_MOST = 50
ALL_PACKETS = "frame.number > 0"
"""Asked where a view has no filter: what is asked of packets is counted packet by packet, and exact at the ends."""


@dataclass(frozen=True)
class ViewLimits:
    """One view in ns after t0, the end excluded."""

    from_ns: int
    to_ns: int
    filter: str
    lanes: tuple[str, ...]

    @property
    def is_narrowed(self) -> bool:
        """Whether it holds only some of the packets of its window."""
        return bool(self.filter or self.lanes)

    @property
    def within(self) -> tuple[str, ...]:
        """Filters that a packet of the view passes, every one of them."""
        lanes = " || ".join(f'lane == "{_quoted(lane)}"' for lane in self.lanes)
        return tuple(each for each in (self.filter, lanes) if each) or (ALL_PACKETS,)

    def holds_packet(self, store: Store, investigation_id: str, frame: tuple[str, int]) -> bool:
        """Whether a frame (input, number) is part of the view."""
        name, number = frame
        try:
            page = list_packets(
                store,
                investigation_id,
                PacketOptions(
                    self.from_ns, self.to_ns, name, filter=f"frame.number == {number}", within=self.within
                ),
                limit=1,
                cursor=None,
            )
        except NotFound:
            return False
        return bool(page.items)


def view_limits(view: ShareView, span_ns: int) -> ViewLimits:
    """The view of an investigation that long; ends that are left open are those of the data."""
    return ViewLimits(
        view.from_ns if view.from_ns is not None else 0,
        view.to_ns if view.to_ns is not None else span_ns + 1,
        view.filter.strip(),
        view.lanes,
    )


def check_view(store: Store, investigation_id: str, view: ShareView) -> None:
    """Raises InvalidRequest, or BadFilter, for a view that shows nothing, NotFound before there is a report."""
    if len(view.lanes) > LANES_MOST:
        raise InvalidRequest(f"A view has at most {LANES_MOST} lanes.")
    with open_tables(store, investigation_id) as tables:
        limits = view_limits(view, max(0, tables.end_ns - tables.t0_ns))
        if limits.to_ns <= limits.from_ns:
            raise InvalidRequest("The view's end must lie after its beginning.")
        known = {lane.id for lane in tables.report.lanes}
        if not known.issuperset(view.lanes):
            raise InvalidRequest("The view names a lane that is not in the report.")
        packet_filter(PacketOptions(within=limits.within), tables)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
