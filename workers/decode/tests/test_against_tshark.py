"""tshark as the reference on strangers' captures: as many frames, and the same innermost addresses and ports."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq

from backend.forensics.addresses import address_text
from workers.decode.captures import NotACapture, decode_capture

FIELDS: Final = (
    "frame.protocols", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst",
    "tcp.srcport", "tcp.dstport", "udp.srcport", "udp.dstport",
)  # fmt: skip
# Fragments as they are: tshark would show a packet's ports at its last fragment only. VXLAN on Linux's port, too.
OPTIONS: Final = (
    "-n", "-d", "udp.port==8472,vxlan", "-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE", "-T", "fields",
    "-E", "separator=|", "-E", "occurrence=a", "-E", "aggregator=,",
)  # fmt: skip
Ends = tuple[str, str, int, int]


def _nth(values: dict[str, list[str]], name: str, number: int) -> str:
    return values[name][number] if len(values[name]) > number else ""


def _ends(values: dict[str, list[str]], protocols: list[str]) -> Ends | None:
    """Addresses and ports of the innermost IP header, what an ICMP error quotes left out."""
    stop = next((n for n, name in enumerate(protocols) if name in ("icmp", "icmpv6")), len(protocols))
    before = protocols[:stop]
    networks = [name for name in before if name in ("ip", "ipv6")]
    if not networks:
        return None
    last, number = networks[-1], networks.count(networks[-1]) - 1
    addresses = (_nth(values, f"{last}.src", number), _nth(values, f"{last}.dst", number))
    behind = before[len(before) - before[::-1].index(last) :]
    for transport in ("tcp", "udp"):
        if transport in behind:
            number = before.count(transport) - 1
            ports = [int(_nth(values, f"{transport}.{end}", number)) for end in ("srcport", "dstport")]
            return (*addresses, ports[0], ports[1])
    return (*addresses, 0, 0)


def _theirs(tshark: str, path: Path) -> list[Ends | None]:
    fields = [part for name in FIELDS for part in ("-e", name)]
    done = subprocess.run(
        [tshark, "-r", str(path), *OPTIONS, *fields], capture_output=True, text=True, check=False, timeout=120
    )
    frames = []
    for line in done.stdout.splitlines():
        values = {
            n: [v for v in text.split(",") if v] for n, text in zip(FIELDS, line.split("|"), strict=True)
        }
        protocols = ":".join(values["frame.protocols"]).split(":")
        frames.append(_ends(values, protocols))
    return frames


def _ours(row: dict[str, int]) -> Ends:
    ends = [address_text(row[f"{end}_high"], row[f"{end}_low"]) for end in ("source", "destination")]
    has_ports = row["protocol"] in (6, 17)
    ports = (row["source_port"], row["destination_port"]) if has_ports else (0, 0)
    return (ends[0], ends[1], *ports)


def test_every_frame_of_captures_from_elsewhere(extra_captures: Path, tshark: str, tmp_path: Path) -> None:
    table = tmp_path / "packets.parquet"
    compared = 0
    for path in sorted(extra_captures.glob("public/*.pcap*")):
        try:
            capture = decode_capture(path, name=path.name, sha256="", packets_path=table)
        except NotACapture:
            continue
        theirs = _theirs(tshark, path)
        assert capture.packets == len(theirs), path.name
        for row, expected in zip(pq.read_table(table).to_pylist(), theirs, strict=True):
            # Without its first fragment tshark knows no ports; ours are those of the flow.
            ours = _ours(row)
            if expected is not None and expected[2:] == (0, 0):
                ours = (ours[0], ours[1], 0, 0)
            if expected is not None:
                assert ours == expected, f"{path.name}#{row['frame']}"
                compared += 1
    assert compared > 1000
