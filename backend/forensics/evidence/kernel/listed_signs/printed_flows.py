"""Facts of packets that somebody printed: datagrams repeated without an answer, bytes that were never printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.captures import Capture
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign, shown
from backend.forensics.wording import plural

_UDP: Final = 17
_TCP: Final = 6
_RETRY_S: Final = 5.0
"""After which a resolver sends a query again: resolv.conf(5), option timeout, RES_TIMEOUT."""
_RETRY_TOLERANCE: Final = 0.01
_QUERY_BYTES_MOST: Final = 512
"""RFC 1035 section 4.2.1."""


def printed_flow_signs(captures: Sequence[Capture]) -> Iterator[ListingSign]:
    """Of captures that were rebuilt from printed text."""
    for capture in captures:
        if capture.is_printed:
            yield from _repeated(capture)
            yield from _missing(capture)


def _repeated(capture: Capture) -> Iterator[ListingSign]:
    rows = capture.connections
    waiting = rows[(rows["protocol"] == _UDP) & (rows["server_packets"] == 0) & (rows["client_packets"] > 1)]
    waiting = waiting[
        waiting["client_bytes"] <= _QUERY_BYTES_MOST * waiting["client_packets"].astype(np.int64)
    ]
    packets = waiting["client_packets"].astype(np.int64)
    gaps_s = (waiting["last_ns"] - waiting["first_ns"]) / (packets - 1) / 1e9
    even = waiting["client_bytes"].astype(np.int64) % packets == 0
    found = waiting[even & (np.abs(gaps_s - _RETRY_S) <= _RETRY_S * _RETRY_TOLERANCE)]
    if len(found):
        text = (
            f"{plural(len(found), 'UDP flow')} without an answer, each datagram sent again after {_RETRY_S:g} s: "
            f"{shown([_flow(row) for row in found])}. A resolver retries DNS queries after that time; a sender with "
            "that period looks the same."
        )
        yield _sign(capture, found, "udp-retry", "UDP datagrams repeated without an answer", text)


def _missing(capture: Capture) -> Iterator[ListingSign]:
    rows = capture.connections
    found = rows[
        (rows["protocol"] == _TCP)
        & (rows["previous_missing"] > 0)
        & (rows["out_of_order"] == 0)
        & (rows["data_retransmissions"] == 0)
    ]
    if len(found):
        text = (
            f"Bytes before a printed segment were not printed, neither earlier nor later, in "
            f"{plural(len(found), 'connection')}: {shown([_flow(row) for row in found])}."
        )
        yield _sign(capture, found, "missing-bytes", "Bytes of a connection missing", text)


def _flow(row: np.void) -> str:
    ends = [
        f"{address_text(int(row[f'{side}_high']), int(row[f'{side}_low']))}:{int(row[f'{side}_port'])}"
        for side in ("client", "server")
    ]
    return (
        f"{ends[0]} → {ends[1]} ({plural(int(row['client_packets']) + int(row['server_packets']), 'packet')})"
    )


def _sign(capture: Capture, rows: NDArray[np.void], topic: str, title: str, text: str) -> ListingSign:
    frames = tuple((capture.name, int(frame)) for frame in rows["first_frame"].tolist())
    return ListingSign(
        topic, "info", title, text, (), len(rows),
        "whether the packets were lost, or left out of the text", "tcpdump -ni any -w out.pcap   # while it fails",
        frames=frames,
    )  # fmt: skip
