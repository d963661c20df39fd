"""Two MAC addresses that answer for one address, and routers that answer for many."""

import struct
from pathlib import Path

import pytest

from backend.forensics.evidence.absence.address_conflicts import AddressConflict, find_address_conflicts
from workers.decode.tests.capture_bytes import MS, decode, ethernet, pcap

HOST, ASKER = "10.0.0.7", "10.0.0.1"
ONE, OTHER = 0x02_00_00_00_00_01, 0x02_00_00_00_00_02
MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")


def _bytes(address: str) -> bytes:
    return bytes(map(int, address.split(".")))


def _reply(link: int, sender: str = HOST, operation: int = 2) -> bytes:
    head = struct.pack(">HHBBH", 1, 0x0800, 6, 4, operation)
    return ethernet(head + link.to_bytes(6, "big") + _bytes(sender) + bytes(6) + _bytes(ASKER), 0x0806)


def _found(folder: Path, *packets: tuple[int, bytes]) -> tuple[AddressConflict, ...]:
    capture = decode(pcap([(at * MS, packet) for at, packet in packets], link_type=1), folder)
    return find_address_conflicts([capture])


def test_two_answers_to_each_of_two_questions(tmp_path: Path) -> None:
    [found] = _found(
        tmp_path, (0, _reply(ONE)), (1, _reply(OTHER)), (5000, _reply(OTHER)), (5001, _reply(ONE))
    )
    assert (found.address, found.links, found.questions) == (HOST, MACS, 2)
    assert found.frames == tuple(("test.pcap", frame) for frame in (1, 2, 3, 4))


@pytest.mark.parametrize(
    "packets",
    [
        [],
        [(0, _reply(ONE))],
        [(0, _reply(ONE)), (1, _reply(OTHER))],  # once: the address moves
        [(0, _reply(ONE)), (5000, _reply(OTHER)), (9000, _reply(OTHER))],  # it has moved
        [(0, _reply(ONE)), (1, _reply(ONE)), (5000, _reply(ONE)), (5001, _reply(ONE))],  # two interfaces
        [(n * 5000 + k, _reply((ONE, OTHER)[k], operation=1)) for n in range(2) for k in range(2)],
        [
            (99, _reply(OTHER, "10.0.0.8")),  # a router that answers for others, too
            *((n * 5000 + k, _reply((ONE, OTHER)[k])) for n in range(2) for k in range(2)),
        ],
    ],
)
def test_what_is_no_conflict(tmp_path: Path, packets: list[tuple[int, bytes]]) -> None:
    assert _found(tmp_path, *sorted(packets)) == ()
