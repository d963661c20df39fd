"""Segments with a flipped bit between two captures, and checksums that a sender leaves to its network card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from scapy.compat import raw
from scapy.layers.inet import IP, TCP

from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.quality_strip import describe_quality
from workers.decode.tests.capture_bytes import decode, pcap

CLIENT, SERVER = "10.0.0.1", "10.0.0.2"
US: Final = 1_000
WAY_US: Final = 2_500
CAUSE: Final = "inner-checksum-drop"
Change = Callable[[bytes], bytes]


def _packet(back: bool, **fields: Any) -> bytes:
    payload = fields.pop("payload", b"")
    ends = {"src": SERVER, "dst": CLIENT} if back else {"src": CLIENT, "dst": SERVER}
    ports: dict[str, Any] = {"sport": 80, "dport": 40_000} if back else {"sport": 40_000, "dport": 80}
    network: Any = IP(src=ends["src"], dst=ends["dst"])
    return raw(network / TCP(**ports, **fields) / payload)


def _exchange(segments: int) -> list[tuple[int, bool, bytes]]:
    """(µs at its sender, whether the server sent it, packet): a handshake, then data of the client, acknowledged."""
    found = [
        (0, False, _packet(False, flags="S", seq=100)),
        (WAY_US + 50, True, _packet(True, flags="SA", seq=900, ack=101)),
        (2 * WAY_US + 100, False, _packet(False, flags="A", seq=101, ack=901)),
    ]
    for number in range(segments):
        at, begin = 20_000 + 20_000 * number, 101 + 50 * number
        found.append(
            (at, False, _packet(False, flags="PA", seq=begin, ack=901, payload=bytes([65 + number]) * 50))
        )
        found.append((at + WAY_US + 50, True, _packet(True, flags="A", seq=901, ack=begin + 50)))
    return sorted(found)


def _flipped(packet: bytes) -> bytes:
    return packet[:-1] + bytes([packet[-1] ^ 0x10])


def _offloaded(packet: bytes) -> bytes:
    """With the sum over the pseudo header in place of the checksum, as Linux leaves it to the card."""
    words = packet[12:20] + bytes((0, 6)) + (len(packet) - 20).to_bytes(2)
    total = sum(int.from_bytes(words[n : n + 2]) for n in range(0, len(words), 2))
    total = (total & 0xFFFF) + (total >> 16)
    return packet[:36] + total.to_bytes(2) + packet[38:]


def _facts(
    folder: Path, at_client: Change, at_server: Change, wrong: Sequence[int] = (), segments: int = 8
) -> Facts:
    """Captures of both ends. `at_client` changes what the client sends in its own capture, `at_server` the data
    segments with these numbers in the server's."""
    client, server, data = [], [], 0
    for at_us, back, packet in _exchange(segments):
        is_data = not back and len(packet) > 40
        here, there = (at_us + WAY_US, at_us) if back else (at_us, at_us + WAY_US)
        client.append((here * US, packet if back else at_client(packet)))
        server.append((there * US, at_server(packet) if is_data and data in wrong else packet))
        data += is_data
    files = {"client.pcap": sorted(client), "server.pcap": sorted(server)}
    return gather_facts([decode(pcap(packets), folder, name) for name, packets in files.items()], [])


def _unchanged(packet: bytes) -> bytes:
    return packet


def _confidence(facts: Facts) -> float:
    found = {d.cause: d.confidence for d in diagnose(facts, run_detectors(facts).cases).diagnoses}
    return found.get(CAUSE, 0.0)


@pytest.mark.parametrize("at_client", [_unchanged, _offloaded])
@pytest.mark.parametrize(("wrong", "named"), [((2,), False), ((1, 2, 5, 6), True)])
def test_a_flipped_bit_on_the_path_is_found_at_the_receiver_only(
    tmp_path: Path, at_client: Change, wrong: tuple[int, ...], named: bool
) -> None:
    facts = _facts(tmp_path, at_client, _flipped, wrong)
    [found] = facts.wrong_checksums
    assert (found.verdict, found.place.input, found.packets) == ("damaged", "server.pcap", len(wrong))
    assert found.other is not None
    assert found.other.input == "client.pcap"
    assert [frame for _, frame in found.frames] == [4 + 2 * number for number in wrong]
    [said] = [part for part in describe_quality(facts, []) if "damaged" in part.text]
    assert said.status == "caution"
    assert said.text.startswith(f"{len(wrong)} packet")
    assert (_confidence(facts) > 0.5) is named


def test_checksums_left_to_the_card_are_said_once_and_are_no_damage(tmp_path: Path) -> None:
    facts = _facts(tmp_path, _offloaded, _unchanged)
    assert facts.wrong_checksums == ()
    [said] = [part for part in describe_quality(facts, []) if "checksum" in part.text]
    assert (said.status, "offload" in said.text, "damage" in said.text) == ("good", True, True)
    assert _confidence(facts) == 0.0


def test_what_is_wrong_at_its_sender_alone_was_filled_in_later(tmp_path: Path) -> None:
    """A card that takes something else than the sum over the pseudo header."""
    facts = _facts(tmp_path, _flipped, _unchanged)
    assert {w.verdict for w in facts.wrong_checksums} == {"filled in later"}
    assert [part.status for part in describe_quality(facts, []) if "checksum" in part.text] == ["good"]
    assert _confidence(facts) == 0.0


def test_one_capture_alone_leaves_it_open(tmp_path: Path) -> None:
    both = _facts(tmp_path, _unchanged, _flipped, (1, 3))
    facts = gather_facts(both.captures[1:], [])
    assert {w.verdict for w in facts.wrong_checksums} == {"unknown"}
    assert _confidence(facts) == 0.0


def test_right_checksums_are_not_spoken_of(tmp_path: Path) -> None:
    facts = _facts(tmp_path, _unchanged, _unchanged)
    assert not [part for part in describe_quality(facts, []) if "checksum" in part.text]
