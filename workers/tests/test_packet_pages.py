"""The packets page of a real investigation against the whole list, filtered here in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend.errors import InvalidRequest, NotFound
from backend.services import jump_in_packets
from backend.services.jump_in_packets import packets_from, place_of_frame
from backend.services.list_packets import PacketLine, PacketOptions, list_packets
from backend.services.show_connections import list_connections, show_connection
from backend.services.show_timeline import Window, show_timeline
from backend.storage.path_tables import PathFilter
from backend.storage.store import Store
from workers.tests.stored_investigation import stored_investigation

DEMO = Path(__file__).parents[2] / "backend" / "demo"
FILES = [DEMO / "snat-race" / "three-interfaces.pcapng", DEMO / "snat-race-healthy" / "any.pcap"]


@dataclass(frozen=True)
class Kept:
    """Two captures of different days, and all their packets."""

    store: Store
    investigation: str

    def pages(self, options: PacketOptions, limit: int = 1000) -> list[PacketLine]:
        found: list[PacketLine] = []
        cursor = None
        while True:
            page = list_packets(self.store, self.investigation, options, limit=limit, cursor=cursor)
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                return found


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    store, investigation = stored_investigation(tmp_path_factory.mktemp("kept"), FILES)
    yield Kept(store, investigation)
    store.close()


@pytest.fixture(scope="module")
def whole(kept: Kept) -> list[PacketLine]:
    found = kept.pages(PacketOptions())
    assert len(found) > 20_000
    return found


def has_end(line: PacketLine, text: str) -> bool:
    return any(text in f"{end} " for end in (line.source, line.destination))


def test_the_whole_list_is_every_packet_once_in_order_of_time(kept: Kept, whole: list[PacketLine]) -> None:
    timeline = show_timeline(kept.store, kept.investigation, Window(None, None, 1200))
    assert len(whole) == sum(lane.packets_total for lane in timeline.lanes) > 20_000
    assert len({(line.input, line.frame) for line in whole}) == len(whole)
    assert [line.time_ns for line in whole] == sorted(line.time_ns for line in whole)
    assert {line.input for line in whole} == {file.name for file in FILES}


@pytest.mark.parametrize(
    ("options", "is_wanted"),
    [
        (PacketOptions(flags="SYN,!ACK"), lambda line: line.flags == "SYN"),
        (PacketOptions(flags="fin"), lambda line: "FIN" in line.flags),
        (
            PacketOptions(lane="three-interfaces.pcapng#1"),
            lambda line: line.lane == "three-interfaces.pcapng#1",
        ),
        (PacketOptions(lane="any.pcap"), lambda line: line.input == "any.pcap"),
        (PacketOptions(lane="any.pcapng#0"), lambda line: False),
        (PacketOptions(lane="any.pcap#x"), lambda line: False),
        (PacketOptions(10**9, 2 * 10**9), lambda line: 10**9 <= line.t < 2 * 10**9),
        (PacketOptions(port=80, flags="RST"), lambda line: has_end(line, ":80 ") and "RST" in line.flags),
        (PacketOptions(port=0), lambda line: has_end(line, ":0 ")),
        (PacketOptions(text="no such end"), lambda line: False),
        (PacketOptions(address="203.0.113.9"), lambda line: False),
    ],
)
def test_a_filter_gives_what_it_says(
    kept: Kept, whole: list[PacketLine], options: PacketOptions, is_wanted: Callable[[PacketLine], bool]
) -> None:
    assert kept.pages(options) == [line for line in whole if is_wanted(line)]


def test_an_address_a_port_and_a_connection_are_found(kept: Kept, whole: list[PacketLine]) -> None:
    some = whole[5000]
    address, _, port = some.source.rpartition(":")
    of_port = [line for line in whole if has_end(line, f":{port} ")]
    of_address = [line for line in whole if has_end(line, f"{address}:")]
    own = [line for line in whole if line.cid == some.cid]
    assert some.cid is not None
    assert kept.pages(PacketOptions(port=int(port))) == of_port
    assert kept.pages(PacketOptions(address=address)) == of_address
    assert kept.pages(PacketOptions(text=address)) == of_address
    both = [line for line in of_port if has_end(line, f"{address}:")]
    assert kept.pages(PacketOptions(address=address, port=int(port))) == both
    assert kept.pages(PacketOptions(cid=some.cid)) == own
    assert kept.pages(PacketOptions(cid=some.cid, port=int(port))) == [
        line for line in own if line in of_port
    ]
    story = show_connection(kept.store, kept.investigation, some.cid)
    assert [(p.input, p.frame) for p in story.packets] == [(line.input, line.frame) for line in own]


def test_packets_of_no_connection_are_found_by_their_address(kept: Kept, whole: list[PacketLine]) -> None:
    loose = [line for line in whole if line.cid is None and not line.source.startswith("[::]")]
    for line in loose[:3]:
        address = line.source.rpartition(":")[0].strip("[]")
        assert line in kept.pages(PacketOptions(address=address))


def test_a_text_finds_the_packets_of_the_connections_it_finds(kept: Kept, whole: list[PacketLine]) -> None:
    text = next(line.source for line in whole if line.flags == "SYN")
    found = list_connections(
        kept.store,
        kept.investigation,
        PathFilter(text=text),
        sort="client",
        descending=True,
        limit=50,
        cursor=None,
    )
    cids = {row.cid for row in found.items}
    assert cids
    assert kept.pages(PacketOptions(text=text)) == [line for line in whole if line.cid in cids]


@pytest.mark.parametrize("limit", [1, 19, 20, 21])
def test_a_page_ends_where_the_next_begins(kept: Kept, whole: list[PacketLine], limit: int) -> None:
    end = whole[20].t
    assert kept.pages(PacketOptions(to_t=end), limit) == [line for line in whole if line.t < end]


@pytest.mark.parametrize("flags", ["SYN,!SYN", "NOTABLE", "SYN ACK"])
def test_flags_that_make_no_sense_are_refused(kept: Kept, flags: str) -> None:
    with pytest.raises(InvalidRequest):
        kept.pages(PacketOptions(flags=flags))


def test_what_is_no_address_is_refused(kept: Kept) -> None:
    with pytest.raises(InvalidRequest, match="not an IP address"):
        kept.pages(PacketOptions(address="10.0.0"))


@pytest.mark.parametrize("cursor", ["1.2", "1.2.x", f"{2**70}.0.0", "1.0.-3", ""])
def test_a_strange_cursor_is_refused(kept: Kept, cursor: str) -> None:
    with pytest.raises(InvalidRequest, match="cursor"):
        list_packets(kept.store, kept.investigation, PacketOptions(), limit=10, cursor=cursor)


@pytest.mark.parametrize(
    "options", [PacketOptions(), PacketOptions(flags="SYN"), PacketOptions(port=80), PacketOptions(10**9)]
)
def test_any_place_of_the_list_is_reached_at_once(
    kept: Kept, options: PacketOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = kept.pages(options)
    for ordered_at_most in (jump_in_packets.ORDERED_AT_MOST, 3):
        monkeypatch.setattr(jump_in_packets, "ORDERED_AT_MOST", ordered_at_most)
        for offset in (0, 1, len(listed) // 2, len(listed) - 3, len(listed)):
            part = packets_from(kept.store, kept.investigation, options, offset=offset, limit=50)
            assert (part.total, list(part.items)) == (len(listed), listed[offset : offset + 50])


def test_the_place_of_a_frame_is_found(kept: Kept, whole: list[PacketLine]) -> None:
    for place in (0, 7, 13_000, len(whole) - 1):
        line = whole[place]
        found = place_of_frame(kept.store, kept.investigation, PacketOptions(), (line.input, line.frame))
        assert found == place


def test_a_frame_that_no_capture_has_is_named(kept: Kept) -> None:
    with pytest.raises(NotFound, match=r"any\.pcap with a frame 999999"):
        place_of_frame(kept.store, kept.investigation, PacketOptions(), ("any.pcap", 999_999))
