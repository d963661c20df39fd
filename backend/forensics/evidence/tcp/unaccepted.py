"""Connections that the server had not taken when their first data came: its accept queue was full.

The listener then drops the last ACK of the handshake and the data that follows it, until one of them comes again while
there is room (net/ipv4/tcp_minisocks.c, tcp_check_req()). The client sends its first data again, and no other data to
that server is lost; or the server repeats its SYN-ACK as well. No path chooses the first data of connections."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.grouped_rows import by_value, is_among
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.packets import TCP
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.significance import fisher_exact_p

SIGNIFICANT_P = 0.01
CONNECTIONS_LEAST = 3
"""Fewer connections of a server are no pattern."""

FIRST_WINDOW_BYTES = 10 * 1460
"""What a sender has under way before the first acknowledgement (RFC 6928)."""

Bools = NDArray[np.bool_]


def unaccepted(capture: Capture) -> Bools:
    """Rows of the connection table."""
    table = capture.connections
    tcp = (table["protocol"] == TCP) & (table["syns"] > 0)
    # Data that the client sent would have carried the lost ACK, so the server dropped that, too.
    found: Bools = tcp & (table["syn_acks"] > table["syns"])
    again = _first_data_again(capture)
    late = again > 0
    ends = [table[f"server_{name}"] for name in ("high", "low", "port")]
    key = mix(*ends, table["vantage"])
    servers, counts = np.unique(key[late], return_counts=True)
    mine = np.flatnonzero(tcp & is_among(key, servers[counts >= CONNECTIONS_LEAST]))
    for rows in by_value(mine, key[mine].view(np.int64)).values():
        if _only_first(table[rows], again[rows]):
            found[rows[late[rows]]] = True
    return found


def first_data(capture: Capture) -> NDArray[np.float64]:
    """Rows (segments, sent again), by connection: what its client sent first. Where that came again, the rest of the
    first window was sent behind it and dropped with it."""
    table = capture.connections
    opened = (table["protocol"] == TCP) & (table["syns"] > 0) & (table["client_bytes"] > 0)
    first = np.where(opened, _first_data_again(capture), 0)
    with_it = np.where(first > 0, _first_window_again(capture), 0)
    return np.stack([opened + with_it, with_it]).astype(np.float64)


def _first_data_again(capture: Capture) -> NDArray[np.int64]:
    """By connection: how often its client sent its first data again."""
    return _again_before(capture, 1)


def _first_window_again(capture: Capture) -> NDArray[np.int64]:
    return _again_before(capture, FIRST_WINDOW_BYTES)


def _again_before(capture: Capture, offset: int) -> NDArray[np.int64]:
    """By connection: segments that its client sent again and that begin before this byte of its data."""
    signals, table = capture.signals, capture.connections
    mine = signals[((signals["kind"] & SENT_AGAIN) != 0) & (signals["from_client"] != 0)]
    opened = table[mine["connection"]]
    early = (opened["syns"] > 0) & (mine["sequence"] - (opened["isn"] + np.uint32(1)) < np.uint32(offset))
    return np.bincount(mine["connection"][early], minlength=len(table)).astype(np.int64)


def _only_first(rows: NDArray[np.void], again: NDArray[np.int64]) -> bool:
    """Whether clients' first data is lost so much more often than other data of this server. Other data of a connection
    whose first data was dropped was dropped with it."""
    sent = rows["client_bytes"] > 0
    first = int(again.sum()), int(np.count_nonzero(sent))
    sound = rows[sent & (again == 0)]
    others = int(sound["data_segments"].sum()) - len(sound)
    others_again = min(others, int(sound["data_retransmissions"].sum()))
    return fisher_exact_p((first, (others_again, others - others_again)), "greater") < SIGNIFICANT_P
