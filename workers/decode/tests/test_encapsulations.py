"""decode(write(x)) = x, for packets inside everything that the decoder looks into."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting
from scapy.layers.ipsec import AH

from backend.forensics.addresses import address_text
from backend.forensics.captures import Capture
from backend.forensics.packets import DECODED_TRANSPORT
from backend.forensics.tunnels import VLAN
from workers.decode.tests.capture_bytes import decode, enhanced, interface, section
from workers.decode.tests.encapsulations import ENCAPSULATIONS, OUTER, Encapsulation


def _inner(version: int, protocol: int, numbers: random.Random, payload: int) -> Any:
    """An IP packet with random ends, ports and numbers."""
    if version == 4:
        ends = [
            f"10.{numbers.randrange(256)}.{numbers.randrange(256)}.{numbers.randrange(1, 255)}" for _ in "ab"
        ]
        network: Any = IP(src=ends[0], dst=ends[1], id=numbers.randrange(1, 1 << 16))
    else:
        ends = [f"2001:db8::{numbers.randrange(1, 1 << 16):x}" for _ in "ab"]
        network = IPv6(src=ends[0], dst=ends[1])
    # Ports that stand for no tunnel.
    ports: Any = {"sport": numbers.randrange(20000, 60000), "dport": numbers.choice([53, 80, 443, 9000])}
    if protocol == 17:
        return network / UDP(**ports) / (b"x" * payload)
    flags = numbers.choice(["S", "SA", "A", "PA", "FA", "R"])
    transport = TCP(**ports, flags=flags, seq=numbers.randrange(1 << 32), ack=numbers.randrange(1 << 32))
    return network / transport / (b"x" * payload)


def _expected(inner: Any, payload: int) -> tuple[object, ...]:
    transport = inner.getlayer(TCP) or inner.getlayer(UDP)
    ends = (inner.src, inner.dst, transport.sport, transport.dport, payload)
    return (*ends, int(transport.flags), transport.seq, transport.ack) if transport.name == "TCP" else ends


def _found(row: dict[str, int]) -> tuple[object, ...]:
    assert row["layers"] == DECODED_TRANSPORT
    ends = [address_text(row[f"{end}_high"], row[f"{end}_low"]) for end in ("source", "destination")]
    found = (*ends, row["source_port"], row["destination_port"], row["payload_bytes"])
    return (
        (*found, row["tcp_flags"], row["sequence"], row["acknowledgement"]) if row["protocol"] == 6 else found
    )


def _path(capture: Capture, row: dict[str, int]) -> list[tuple[int, int | None]]:
    if row["tunnel"] == 0:
        return [(VLAN, row["vlan"])] if row["vlan"] else []
    return [(layer.kind, layer.number) for layer in capture.tunnels[row["tunnel"]].layers]


def _decode(frames: list[tuple[int, bytes]]) -> tuple[Capture, list[dict[str, int]]]:
    """One pcapng with an interface per link type: a per-packet mix."""
    links = sorted({link for link, _ in frames})
    data = section() + b"".join(interface(f"i{link}", link_type=link) for link in links)
    for when, (link, frame) in enumerate(frames):
        data += enhanced(links.index(link), 10**15 + when, frame)
    with tempfile.TemporaryDirectory() as folder:
        capture = decode(data, Path(folder), "x.pcapng", table=True)
        return capture, pq.read_table(Path(folder) / "packets.parquet").to_pylist()


def _check(chosen: list[tuple[Encapsulation, Any, int, int]]) -> None:
    frames = [(one.link_type, bytes(one.write(inner, number))) for one, inner, number, _ in chosen]
    capture, rows = _decode(frames)
    assert capture.undecoded == {}
    for (one, inner, number, payload), row in zip(chosen, rows, strict=True):
        assert _found(row) == _expected(inner, payload), one.name
        assert _path(capture, row) == one.layers(number), one.name
        if one.in_ip:
            layer = capture.tunnels[row["tunnel"]].layers[0]
            assert (layer.lower_end, layer.upper_end) == OUTER


@pytest.mark.parametrize("one", ENCAPSULATIONS, ids=lambda one: one.name)
def test_each_encapsulation(one: Encapsulation) -> None:
    numbers = random.Random(1)
    versions = [one.only] if one.only else [4, 6]
    _check([(one, _inner(v, p, numbers, 10), 1 + v + p, 10) for v in versions for p in (6, 17)])


_PACKETS = st.lists(
    st.tuples(
        st.sampled_from(ENCAPSULATIONS), st.sampled_from([4, 6]), st.sampled_from([6, 17]),
        st.integers(1, (1 << 32) - 1), st.integers(0, 600), st.integers(0, 1 << 30),
    ),
    min_size=1, max_size=40,
)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_PACKETS)
def test_decoding_gives_what_was_written(
    packets: list[tuple[Encapsulation, int, int, int, int, int]],
) -> None:
    chosen = []
    for one, version, protocol, number, payload, seed in packets:
        inner = _inner(one.only or version, protocol, random.Random(seed), payload)
        usable = 1 + number % ((1 << one.bits) - 2)
        chosen.append((one, inner, usable, payload))
    _check(chosen)


def authenticated(inner: Any) -> Any:
    """An authentication header between IPv4 and its transport."""
    inner = inner.copy()
    transport = inner.payload
    protocol = 6 if transport.name == "TCP" else 17
    inner.remove_payload()
    inner.proto = 51
    return inner / AH(nh=protocol, payloadlen=4, spi=1, seq=1, icv=b"\0" * 12) / transport


def extended(inner: Any) -> Any:
    """IPv6 extension headers between IPv6 and its transport."""
    inner = inner.copy()
    transport = inner.payload
    inner.remove_payload()
    return inner / IPv6ExtHdrHopByHop() / IPv6ExtHdrRouting() / IPv6ExtHdrDestOpt() / transport


@pytest.mark.parametrize(("version", "wrap"), [(4, authenticated), (6, extended)])
def test_headers_between_ip_and_transport_are_stepped_over(version: int, wrap: Any) -> None:
    inner = _inner(version, 6, random.Random(2), 30)
    _, rows = _decode([(101, bytes(wrap(inner)))])
    assert _found(rows[0]) == _expected(inner, 30)
