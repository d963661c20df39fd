"""The packets page's language against Wireshark's own, on a capture of three interfaces; and its mistakes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.services.jump_in_packets import packets_from
from backend.services.list_packets import PacketOptions, list_packets
from backend.services.packet_language.problem import BadFilter
from backend.services.read_report import read_report
from backend.services.select_packets import select_by_filter
from backend.storage.packet_fields import PACKET_FIELDS
from backend.storage.store import Store
from workers.tests.stored_investigation import stored_investigation

CAPTURE = Path(__file__).parents[2] / "backend" / "demo" / "snat-race" / "three-interfaces.pcapng"
OWN_FIELDS = {"conn", "nat.port", "lane", "file", "finding", "missing", "pod", "service", "node"}
"""Those that Wireshark does not know."""
SAME_AS_WIRESHARK = (
    "tcp.flags.syn == 1 && tcp.flags.ack == 0",
    "tcp.flags.syn==1 and not tcp.flags.ack==1 or tcp.flags.reset == 1",
    "ip.src == 10.244.35.0/24 && (tcp.len > 0 || tcp.flags.fin == 1)",
    "ip.addr != 10.16.147.226",
    "!(ip.addr == 10.16.147.226)",
    "tcp.port in {80, 41000..41500} && frame.number <= 9000",
    "tcp.dstport != 80",
    "tcp.seq_raw == 345145544",
    "frame.len >= 100 && frame.number in {1..200}",
    "tcp.flags == 0x012",
    "udp || icmp || icmpv6",
    "tcp.options.mss_val == 1460",
    "ip.ttl < 64",
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str]]:
    store, investigation = stored_investigation(tmp_path_factory.mktemp("language"), [CAPTURE])
    yield store, investigation
    store.close()


def frames(kept: tuple[Store, str], text: str) -> list[int]:
    found = select_by_filter(*kept, PacketOptions(filter=text))
    assert found.packets == packets_from(*kept, PacketOptions(filter=text), offset=0, limit=1).total
    return found.frames.get(CAPTURE.name, [])


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("text", SAME_AS_WIRESHARK)
def test_a_filter_finds_what_wireshark_finds(kept: tuple[Store, str], text: str) -> None:
    assert frames(kept, text) == frames_of_tshark(text)


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("text", ['http.request.method == "GET"', "http.response.code == 200"])
def test_messages_are_found_where_wireshark_finds_them(kept: tuple[Store, str], text: str) -> None:
    # Wireshark takes the same packet at the next interface for a retransmission and looks for no message in it.
    expected, found = set(frames_of_tshark(text)), set(frames(kept, text))
    assert expected
    assert expected <= found
    again = set(frames_of_tshark("tcp.analysis.retransmission || tcp.analysis.out_of_order"))
    assert found - expected <= again


def frames_of_tshark(text: str) -> list[int]:
    command = ["tshark", "-n", "-r", str(CAPTURE), "-Y", text, "-T", "fields", "-e", "frame.number"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(line) for line in said.stdout.split()]


def test_a_finding_is_its_evidence_and_can_be_narrowed(kept: tuple[Store, str]) -> None:
    report = read_report(*kept)
    evidence = {frame for part in report.findings[0].evidence for frame in part.frames}
    assert frames(kept, "finding == A") == sorted(evidence)
    assert frames(kept, f"finding == {report.findings[0].id} && tcp.flags.syn == 1") == [
        frame for frame in frames(kept, "tcp.flags.syn == 1") if frame in evidence
    ]
    line = list_packets(*kept, PacketOptions(filter="finding == A"), limit=1, cursor=None).items[0]
    assert report.findings[0].id in line.findings


def test_places_and_connections_are_asked_for_by_name(kept: tuple[Store, str]) -> None:
    lanes = {lane.id: lane.name for lane in read_report(*kept).lanes if lane.captured}
    sums = [len(frames(kept, f'lane == "{name}"')) for name in lanes.values()]
    whole = len(frames(kept, 'file == "three-interfaces.pcapng"'))
    assert sum(sums) == whole == len(frames(kept, ""))
    assert frames(kept, "conn == 3") == frames(kept, "!(conn != 3) && conn")
    missing = frames(kept, "missing == eth0 && tcp.flags.syn == 1 && tcp.flags.ack == 0")
    assert set(frames(kept, "finding == A && lane == cni0 && tcp.flags == 2")) <= set(missing)
    assert len(missing) < len(frames(kept, "tcp.flags == 2"))


def test_the_same_packet_is_joined_over_capture_points_and_translation(kept: tuple[Store, str]) -> None:
    lines = list_packets(*kept, PacketOptions(filter="conn == 7"), limit=100, cursor=None).items
    by_frame = {line.frame: line for line in lines}
    joined = [line for line in lines if line.joined]
    assert joined
    for line in joined:
        for other in line.joined:
            assert other.lane != line.lane
            if other.frame in by_frame:
                assert line.frame in {each.frame for each in by_frame[other.frame].joined}


@pytest.mark.parametrize(
    ("text", "spot", "words", "meant"),
    [
        ("tcp.flags.syn == 1 && ip.nope == 0", (22, 7), "no field", ()),
        ("tcp.flag.syn == 1", (0, 12), "no field", ("tcp.flags.syn",)),
        ("tcp.anlysis.retransmission", (0, 26), "no field", ("tcp.analysis.retransmission",)),
        ("ip.addr == 999.1.1.1", (11, 9), "not an IP address", ()),
        ("ip.addr == fd00::1", (11, 7), "`ipv6.addr`", ("ipv6.addr",)),
        ("tcp.port == http", (12, 4), "no number", ()),
        ("tcp.port == 80 &&", (17, 1), "missing here", ()),
        ("tcp.port == 80 tcp", (15, 3), "missing", ()),
        ("(tcp.port == 80", (15, 1), "closing bracket", ()),
        ("tcp.port in {80", (15, 1), "closing brace", ()),
        ("tcp.port in 80", (12, 2), "braces", ()),
        ("tcp.port < 1..5", (11, 4), "{1..5}", ()),
        ("ip.src > 10.0.0.1", (7, 1), "== and !=", ()),
        ('tcp.port == "80', (12, 3), "quotation", ()),
        ("tcp.flags.syn == 2", (17, 1), "1 or 0", ()),
        ("finding == QQ", (11, 2), "no finding", ()),
        ("lane == eth7", (8, 4), "no capture point", ()),
        ("lane", (0, 4), "needs a value", ()),
        ("tcp == 1", (4, 2), "stands alone", ()),
        ("tcp.port & 1 == 1", (9, 1), "in pairs", ()),
        ("!" * 60 + "tcp", (40, 1), "deep", ()),
        ("frame.number == 99999999999999999999", (16, 20), "larger", ()),
        ("frame.time_relative < nan", (22, 3), "out of all times", ()),
        ('http.host matches "a"', (10, 7), "no comparison", ()),
    ],
)
def test_a_mistake_is_marked_where_it_is(
    kept: tuple[Store, str], text: str, spot: tuple[int, int], words: str, meant: tuple[str, ...]
) -> None:
    with pytest.raises(BadFilter) as caught:
        frames(kept, text)
    assert (caught.value.spot.at, caught.value.spot.length) == spot
    assert words in caught.value.sentence
    assert set(meant) <= set(caught.value.did_you_mean)


@pytest.mark.parametrize("name", sorted(PACKET_FIELDS))
def test_every_field_can_be_asked_for(kept: tuple[Store, str], name: str) -> None:
    field = PACKET_FIELDS[name]
    if field.kind != "place":
        assert isinstance(frames(kept, name), list)
    values = {
        "address": "::1" if "ipv6" in name else "10.0.0.1",
        "text": '"a"',
        "flag": "1",
        "seconds": "1.5",
    }
    # Nothing in this investigation names an address: test_named_addresses.py asks by names.
    if field.kind not in ("presence", "place", "name"):
        frames(kept, f"{name} == {values.get(field.kind, '7')}")


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_wireshark_knows_all_names_but_our_own() -> None:
    said = subprocess.run(["tshark", "-G", "fields"], capture_output=True, text=True, check=True).stdout
    known = {line.split("\t")[2] for line in said.splitlines() if line[:1] in ("F", "P")}
    assert set(PACKET_FIELDS) - known <= OWN_FIELDS
