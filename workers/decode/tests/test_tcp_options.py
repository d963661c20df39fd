"""TCP options: what the packet table holds of them."""

import struct
from pathlib import Path

import pytest

from backend.forensics.packets import (
    ACK,
    NO_WINDOW_SCALE,
    PACKET_DTYPE,
    SACK_DUPLICATE,
    SACK_PERMITTED,
    SYN,
    UNKNOWN_WINDOW_SCALE,
)
from workers.decode.tests.capture_bytes import decode, pcap, tcp

_SYN_OPTIONS = bytes.fromhex("020405b4 0402 080a 00000007 00000000 01 030307".replace(" ", ""))


def _sack(*blocks: tuple[int, int]) -> bytes:
    edges = b"".join(struct.pack(">II", *block) for block in blocks)
    return bytes((1, 1, 5, 2 + len(edges))) + edges


def _row(packet: bytes, folder: Path) -> dict[str, int]:
    import pyarrow.parquet as pq

    decode(pcap([(0, packet)]), folder, table=True)
    row: dict[str, int] = pq.read_table(folder / "packets.parquet").to_pylist()[0]
    assert set(row) == set(PACKET_DTYPE.names or ())
    return row


def test_the_options_of_a_syn(tmp_path: Path) -> None:
    row = _row(tcp(SYN, options=_SYN_OPTIONS), tmp_path)
    assert (row["mss"], row["window_scale"], row["sack"]) == (1460, 7, SACK_PERMITTED)
    assert row["timestamp_value"] == 7


@pytest.mark.parametrize("options", [None, b""])
def test_a_syn_without_window_scale(tmp_path: Path, options: bytes | None) -> None:
    row = _row(tcp(SYN, options=options), tmp_path)
    assert (row["mss"], row["window_scale"], row["sack"]) == (0, NO_WINDOW_SCALE, 0)
    assert row["timestamp_value"] == (77 if options is None else 0)


def test_a_syn_cut_before_its_window_scale(tmp_path: Path) -> None:
    row = _row(tcp(SYN, options=_SYN_OPTIONS)[:-4], tmp_path)
    assert (row["mss"], row["window_scale"]) == (1460, UNKNOWN_WINDOW_SCALE)


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        (((2000, 3000),), 1),
        (((2000, 3000), (4000, 5000), (6000, 7000)), 3),
        (((900, 1000),), 1 | SACK_DUPLICATE),  # up to the ACK
        (((1000, 1001),), 1),
        (((2000, 2100), (2000, 3000)), 2 | SACK_DUPLICATE),  # inside the second block
        (((2000, 3001), (2000, 3000)), 2),
        (((0xFFFFFF00, 900),), 1 | SACK_DUPLICATE),  # across the end of the sequence numbers
    ],
)
def test_sack_blocks(tmp_path: Path, blocks: tuple[tuple[int, int], ...], expected: int) -> None:
    assert _row(tcp(ACK, 1, 1000, options=_sack(*blocks)), tmp_path)["sack"] == expected
