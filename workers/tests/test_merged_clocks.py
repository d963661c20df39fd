"""A merged capture of two machines: its interfaces are put on one clock, as two captures are."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from scapy.layers.inet import IP
from scapy.packet import Packet

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.merged_clocks import _TIMES, align_interfaces
from backend.forensics.messages import DTYPES
from backend.forensics.quality_strip import describe_quality
from backend.forensics.round_trips import ROUND_TRIP_DTYPE
from backend.forensics.signals import SIGNAL_DTYPE
from workers.decode.captures import decode_capture
from workers.tests.test_absence import ISN, SERVER_ISN, back, forth

T0_NS = 1_700_000_000 * 10**9
DELAY_S = 0.0005
Seen = tuple[float, int, Packet]
DURATIONS_AND_DATES = {
    "network_ns", "receiver_window_ns", "rtt_ns", "silence_ns", "expiration_ns", "last_updated_ns",
}  # fmt: skip


def _block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def merged(folder: Path, seen: list[Seen]) -> Capture:
    """Interfaces eth0 (0) and ens5 (1) in one pcapng, in the order of their time stamps."""
    data = _block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    for name in (b"eth0", b"ens5"):
        options = _option(2, name) + _option(9, b"\x09") + _option(0, b"")
        data += _block(1, struct.pack("<HHI", 1, 0, 262_144) + options)
    for at_s, interface, packet in sorted(seen, key=lambda each: each[0]):
        time_ns, raw = T0_NS + round(at_s * 1e9), bytes(packet)
        times = struct.pack("<IIIII", interface, time_ns >> 32, time_ns & 0xFFFFFFFF, len(raw), len(raw))
        data += _block(6, times + raw)
    (folder / "merged.pcapng").write_bytes(data)
    return decode_capture(folder / "merged.pcapng", name="merged.pcapng", sha256="", packets_path=None)


def _routed(packet: Packet) -> Packet:
    copy = packet.copy()
    copy[IP].ttl -= 1
    return copy


def connections(ahead_s: float, total: int = 12) -> list[Seen]:
    """As the client's machine and the server's, whose clock is ahead, saw them."""
    seen: list[Seen] = []
    for number in range(total):
        at, port = 0.2 * number + 0.001 * number * number, 40_000 + number
        packets = [
            (0.0, True, forth(port, "S", ip_id=number + 1)),
            (0.0011, False, back(port, "SA")),
            (0.0012, True, forth(port, "A", seq=ISN + 1, ack=SERVER_ISN + 1, ip_id=number + 100)),
            (
                0.0013,
                True,
                forth(port, "PA", seq=ISN + 1, ack=SERVER_ISN + 1, ip_id=number + 200, load=b"x" * 40),
            ),
        ]
        for after, from_client, packet in packets:
            near, far = (packet, _routed(packet)) if from_client else (_routed(packet), packet)
            passes = DELAY_S if from_client else -DELAY_S
            seen.append((at + after, 0, near))
            seen.append((at + after + passes + ahead_s, 1, far))
    return seen


@pytest.mark.parametrize("ahead_s", [40.0, 0.8, -3.0])
def test_interfaces_of_two_clocks_are_put_on_one(tmp_path: Path, ahead_s: float) -> None:
    facts = gather_facts([merged(tmp_path, connections(ahead_s))], [])
    assert not len(facts.attempts.retried)
    assert len(facts.attempts.table) == 12
    (offset,) = facts.interface_offsets
    assert abs(offset.offset_ns) == pytest.approx(abs(ahead_s) * 1e9, abs=offset.uncertainty_ns)
    eth0, ens5 = sorted(facts.attempts.places, key=lambda place: place.name != "eth0")
    assert eth0.machine != ens5.machine
    assert ens5.point.first_ns - eth0.point.first_ns == pytest.approx(DELAY_S * 1e9, abs=1_000)
    texts = [part.text for part in describe_quality(facts, [], [])]
    assert any(
        f"the clock of {name} in merged.pcapng is" in text for name in ("ens5", "eth0") for text in texts
    )


def test_what_the_path_explains_is_no_other_clock(tmp_path: Path) -> None:
    """The interfaces are of one machine for all that is known: their differences are within the path's delay."""
    capture = merged(tmp_path, connections(DELAY_S))
    aligned, offsets = align_interfaces(capture)
    assert aligned is capture
    assert offsets == ()


def test_times_of_all_tables_are_shifted(tmp_path: Path) -> None:
    capture = merged(tmp_path, connections(40.0))
    aligned, _ = align_interfaces(capture)
    (shift,) = {
        int(was - now)
        for was, now in zip(capture.handshakes["time_ns"], aligned.handshakes["time_ns"], strict=True)
    } - {0}
    moved = capture.connections["vantage"] == 1
    for name in _TIMES["connections"]:
        known = moved & (capture.connections[name] >= 0)
        assert set((capture.connections[name] - aligned.connections[name])[known].tolist()) <= {shift}
    was = capture.round_trips.read(("sent_ns", "vantage"))
    now = aligned.round_trips.read(("sent_ns",))
    apart = was["sent_ns"].to_numpy() - now["sent_ns"].to_numpy()
    assert apart.tolist() == np.where(was["vantage"].to_numpy() == 1, shift, 0).tolist()
    (batch,) = aligned.round_trips.batches(("rtt_ns", "sent_ns"))
    assert batch.schema.names == ["rtt_ns", "sent_ns"]
    assert batch.column("sent_ns").to_pylist() == now["sent_ns"].to_pylist()


def test_every_column_of_times_is_known() -> None:
    tables = {
        "connections": CONNECTION_DTYPE,
        "round_trips": ROUND_TRIP_DTYPE,
        "signals": SIGNAL_DTYPE,
        **DTYPES,
    }
    for table, dtype in tables.items():
        times = {name for name in dtype.names or () if name.endswith("_ns")}
        assert times - DURATIONS_AND_DATES == set(_TIMES[table]), table
