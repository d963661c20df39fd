"""The view that a link is made for: checked when the link is made, and read with every question after that."""

from __future__ import annotations

from functools import partial

from backend.errors import InvalidRequest, NotFound
from backend.services.list_packets import PacketOptions, list_packets, packet_filter
from backend.services.open_tables import open_tables
from backend.services.scope import View
from backend.storage.records import ShareView
from backend.storage.store import Store

LANES_MOST = 50


def view_of(store: Store, investigation_id: str, view: ShareView, span_ns: int) -> View:
    """The view of an investigation that long; ends that are left open are those of the data."""
    return View(
        view.from_ns if view.from_ns is not None else 0,
        view.to_ns if view.to_ns is not None else span_ns + 1,
        view.filter.strip(),
        view.lanes,
        partial(_holds_packet, store, investigation_id),
    )


def _holds_packet(store: Store, investigation_id: str, view: View, frame: tuple[str, int]) -> bool:
    name, number = frame
    wanted = PacketOptions(
        view.from_ns, view.to_ns, name, filter=f"frame.number == {number}", within=view.within
    )
    try:
        return bool(list_packets(store, investigation_id, wanted, limit=1, cursor=None).items)
    except NotFound:
        return False


def check_view(store: Store, investigation_id: str, view: ShareView) -> None:
    """Raises InvalidRequest, or BadFilter, for a view that shows nothing, NotFound before there is a report."""
    if len(view.lanes) > LANES_MOST:
        raise InvalidRequest(f"A view has at most {LANES_MOST} lanes.")
    with open_tables(store, investigation_id) as tables:
        shown = view_of(store, investigation_id, view, max(0, tables.end_ns - tables.t0_ns))
        if shown.to_ns <= shown.from_ns:
            raise InvalidRequest("The view's end must lie after its beginning.")
        known = {lane.id for lane in tables.report.lanes}
        if not known.issuperset(view.lanes):
            raise InvalidRequest("The view names a lane that is not in the report.")
        packet_filter(PacketOptions(within=shown.within), tables)
