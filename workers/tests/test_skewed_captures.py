"""Two ends of one incident whose clocks are apart: what the timeline draws stands where the packets are drawn."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from backend.forensics.report import Report
from backend.services.jump_in_packets import packets_from, place_of_frame, place_of_time
from backend.services.list_packets import PacketLine, PacketOptions, list_packets
from backend.services.open_tables import clocks_of, epoch_ns
from backend.services.read_report import read_report
from backend.services.select_packets import select_by_filter
from backend.services.show_connections import list_connections, show_connection
from backend.storage.path_tables import PathFilter
from backend.storage.store import Store
from workers.pipeline import analyse, ingest_file
from workers.tests.stored_investigation import stored_investigation

DEMO = Path(__file__).parents[2] / "backend" / "demo" / "rx-backlog"


def shifted(capture: bytes, by_us: int) -> bytes:
    """A little-endian pcap of microseconds with every packet later."""
    parts, at = [capture[:24]], 24
    while at < len(capture):
        seconds, micros, held, whole = struct.unpack_from("<IIII", capture, at)
        seconds, micros = divmod(seconds * 1_000_000 + micros + by_us, 1_000_000)
        parts += [struct.pack("<IIII", seconds, micros, held, whole), capture[at + 16 : at + 16 + held]]
        at += 16 + held
    return b"".join(parts)


def captures_apart(folder: Path, ahead_us: int) -> list[Path]:
    """Of both ends, the receiver's clock being that much ahead."""
    files = {
        "a-receiver.pcap": shifted(gzip.decompress((DEMO / "receiver.pcap.gz").read_bytes()), ahead_us),
        "b-sender.pcap": gzip.decompress((DEMO / "sender.pcap.gz").read_bytes()),
    }
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in files]


def report_on(folder: Path, ahead_us: int) -> Report:
    """What the command line writes about them."""
    files = captures_apart(folder, ahead_us)
    inputs = [ingest_file(file, name=file.name, folder=None) for file in files]
    return analyse(inputs, label="skewed", created="2026-01-01T00:00:00Z", tool_version="0", folder=None)


@pytest.mark.parametrize("ahead_us", [0, 350_000, -4_000_000])
def test_marks_of_stalls_stand_where_their_packets_are_drawn(tmp_path: Path, ahead_us: int) -> None:
    report = report_on(tmp_path / "captures", ahead_us)
    (stalls,) = [finding for finding in report.findings if finding.kind == "rtt-backlog"]
    assert stalls.count == 10
    clock = clocks_of(report)["b-sender.pcap"]
    own = [epoch_ns(str(event["start"])) for event in stalls.events]
    drawn = [epoch_ns(mark.start) for mark in stalls.marks if mark.glyph == "band"]
    assert len(drawn) == 10
    assert all(abs(clock.common(start) - at) < 100_000 for start, at in zip(own, drawn, strict=True))
    assert all(abs(at - start - ahead_us * 1000) < 1_000_000 for start, at in zip(own, drawn, strict=True))


AHEAD_US = 300_000


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str]]:
    """Both ends, stored, the receiver's clock being ahead."""
    folder = tmp_path_factory.mktemp("apart")
    files = captures_apart(folder / "captures", AHEAD_US)
    store, investigation = stored_investigation(folder / "data", files)
    yield store, investigation
    store.close()


def all_lines(kept: tuple[Store, str], options: PacketOptions) -> list[PacketLine]:
    """Page after page."""
    lines, cursor = list[PacketLine](), None
    while True:
        page = list_packets(*kept, options, limit=200, cursor=cursor)
        lines += page.items
        cursor = page.next_cursor
        if cursor is None:
            return lines


def test_packets_of_two_clocks_are_listed_in_the_order_in_which_they_happened(
    kept: tuple[Store, str],
) -> None:
    lines = all_lines(kept, PacketOptions())
    assert len(lines) == sum(part.packets for part in read_report(*kept).inputs)
    assert [line.time_ns for line in lines] == sorted(line.time_ns for line in lines)
    by_place = {(line.input, line.frame): line for line in lines}
    joined = [(line, by_place[each.input, each.frame]) for line in lines for each in line.joined]
    assert len(joined) > 100
    apart = [abs(one.t - other.t) for one, other in joined if one.input != other.input]
    assert median(apart) < 1_000_000
    assert max(apart) < 150_000_000  # what a stall held
    assert {one.input for one, other in joined if one.input != other.input} == {
        "a-receiver.pcap",
        "b-sender.pcap",
    }
    assert min(line.t for line in lines) == 0


def test_every_way_to_a_packet_of_two_clocks_leads_to_the_same_place(kept: tuple[Store, str]) -> None:
    lines = all_lines(kept, PacketOptions())
    for at in (0, len(lines) // 3, len(lines) - 1):
        line = lines[at]
        found = packets_from(*kept, PacketOptions(), offset=at, limit=1)
        assert (found.total, found.items[0]) == (len(lines), line)
        assert place_of_frame(*kept, PacketOptions(), (line.input, line.frame)) == at
        assert lines[place_of_time(*kept, PacketOptions(), line.t)].t == line.t
    begin, end = lines[len(lines) // 4].t, lines[len(lines) // 2].t
    inside = [line for line in lines if begin <= line.t < end]
    assert all_lines(kept, PacketOptions(from_t=begin, to_t=end)) == inside
    asked = PacketOptions(
        filter=f"frame.time_relative >= {begin / 1e9:.9f} && frame.time_relative < {end / 1e9:.9f}"
    )
    assert all_lines(kept, asked) == inside
    frames = select_by_filter(*kept, asked).frames
    assert sum(map(len, frames.values())) == len(inside)


def test_a_ladder_of_two_clocks_is_drawn_on_one(kept: tuple[Store, str]) -> None:
    times = {(line.input, line.frame): line.t for line in all_lines(kept, PacketOptions())}
    wanted = PathFilter(None, None, None, None, None)
    page = list_connections(*kept, wanted, sort="start", descending=False, limit=20, cursor=None)
    stories = [show_connection(*kept, row.cid) for row in page.items if len(row.seen_at) > 1]
    assert stories
    for story in stories:
        assert {packet.input for packet in story.packets} == {"a-receiver.pcap", "b-sender.pcap"}
        assert all(packet.t_rel_ns == times[packet.input, packet.frame] for packet in story.packets)
