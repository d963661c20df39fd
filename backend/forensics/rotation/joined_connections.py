"""The connection tables of parts as one: a connection that goes on over the end of a part is one connection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import COUNT_LIMIT, NEVER
from backend.forensics.packets import NO_CONNECTION, TCP, UNKNOWN_WINDOW_SCALE

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Rows = NDArray[np.void]

UDP_IDLE_NS: Final = 120_000_000_000
"""After this the decoder, too, begins another flow."""

_ENDS: Final = ("client_high", "client_low", "client_port"), ("server_high", "server_low", "server_port")
_MIRRORED: Final = ("bytes", "packets", "mss", "window_scale")
_SUMS: Final = (
    "client_bytes", "server_bytes", "client_packets", "server_packets", "data_segments", "syns", "syn_acks",
    "data_retransmissions", "lost_segments", "fast_retransmissions", "spurious_retransmissions", "out_of_order",
    "duplicate_acks", "zero_windows", "windows_full", "zero_window_probes", "keep_alives", "previous_missing",
    "super_frames", "wrong_checksums", "partial_checksums", "network_ns", "receiver_window_ns",
)  # fmt: skip
_FIRST_KNOWN: Final = {
    "syn_ack_ns": NEVER, "established_ns": NEVER, "closed_ns": NEVER, "syn_ns": NEVER, "syn_frame": NEVER,
    "syn_ack_frame": NEVER, "reset_frame": NEVER, "isn": 0, "client_mss": 0, "server_mss": 0,
    "client_window_scale": UNKNOWN_WINDOW_SCALE, "server_window_scale": UNKNOWN_WINDOW_SCALE,
}  # fmt: skip
"""The first part that knows it decides: column -> value of those that do not."""


@dataclass(frozen=True)
class JoinedConnections:
    """`table` is one capture's connection table (CONNECTION_DTYPE). The other arrays have one entry a row of the
    parts' tables, one after the other."""

    table: Rows
    number: Ints
    """Row of `table`."""
    swapped: Bools
    """Whether the part took the connection's client for its server."""
    offsets: tuple[int, ...]
    """Where each part's rows begin, and the total."""

    def of_part(self, part: int, connection: NDArray[Any]) -> tuple[NDArray[np.uint32], Bools]:
        """(numbers in the joined table, whether the ends are swapped) for numbers of that part's table."""
        own = slice(self.offsets[part], self.offsets[part + 1])
        known = connection != NO_CONNECTION
        number = np.full(len(connection), NO_CONNECTION, np.uint32)
        swapped = np.zeros(len(connection), np.bool_)
        number[known] = self.number[own][connection[known]]
        swapped[known] = self.swapped[own][connection[known]]
        return number, swapped


def join_connections(tables: Sequence[Rows]) -> JoinedConnections:
    """`tables` in the order of time; vantage points, tunnels and frames are numbered alike in all of them."""
    offsets = tuple(int(n) for n in np.cumsum([0, *(len(table) for table in tables)]))
    rows = np.concatenate(tables)
    part = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    if not len(rows):
        return JoinedConnections(rows, np.zeros(0, np.int64), np.zeros(0, np.bool_), offsets)
    turned = _is_turned(rows)
    keys = _keys(rows, turned)
    order = np.lexsort((np.arange(len(rows)), *keys))
    new = _begins(rows[order], part[order], turned[order], [key[order] for key in keys])
    group = np.cumsum(new) - 1
    starts = np.flatnonzero(new)
    swapped = np.zeros(len(rows), np.bool_)
    swapped[order] = turned[order] != turned[order][starts][group]
    # Groups are sorted by tuple; the joined table is in the order in which connections appeared.
    place = np.empty(len(starts), np.int64)
    place[np.argsort(order[starts], kind="stable")] = np.arange(len(starts))
    number = np.empty(len(rows), np.int64)
    number[order] = place[group]
    table = np.empty(len(starts), rows.dtype)
    table[place] = _merged(_unswapped(rows, swapped)[order], starts)
    return JoinedConnections(table, number, swapped, offsets)


def _is_turned(rows: Rows) -> Bools:
    """Whether the client's address and port are the greater ones."""
    turned = np.zeros(len(rows), np.bool_)
    undecided = np.ones(len(rows), np.bool_)
    for client, server in zip(*_ENDS, strict=True):
        turned |= undecided & (rows[client] > rows[server])
        undecided &= rows[client] == rows[server]
    return turned


def _keys(rows: Rows, turned: Bools) -> list[NDArray[Any]]:
    """Equal for packets that the tracker of one capture would put into one connection, or a later one of its tuple."""
    keys = [rows[name] for name in ("vantage", "protocol", "network")]
    for client, server in zip(*_ENDS, strict=True):
        keys.append(np.where(turned, rows[server], rows[client]))
        keys.append(np.where(turned, rows[client], rows[server]))
    return keys


def _begins(rows: Rows, part: Ints, turned: Bools, keys: Sequence[NDArray[Any]]) -> Bools:
    """Where a connection begins in rows sorted by tuple and time, as the tracker has it: with a SYN of another ISN,
    and a UDP flow after its idle time."""
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    same_part = np.zeros(len(rows), np.bool_)
    same_part[1:] = part[1:] == part[:-1]
    before = np.maximum(np.arange(len(rows)) - 1, 0)
    idle = (rows["protocol"] != TCP) & (rows["first_ns"] - rows["last_ns"][before] > UDP_IDLE_NS)
    called = rows["syns"] > 0
    # The last row before this one whose SYN was seen: its ISN is that of what this one may go on with.
    last = np.maximum.accumulate(np.where(called, np.arange(len(rows)), -1))
    last = np.where(np.arange(len(rows)) > 0, last[before], -1)
    tuple_starts = np.maximum.accumulate(np.where(fresh, np.arange(len(rows)), 0))
    known = (last >= tuple_starts) & (last >= 0)
    repeats = known & (rows["isn"] == rows["isn"][last]) & (turned == turned[last])
    begins: Bools = fresh | same_part | idle | (called & ~repeats)
    return begins


def _unswapped(rows: Rows, swapped: Bools) -> Rows:
    """The rows with the ends of those exchanged."""
    if not swapped.any():
        return rows
    made = rows.copy()
    for client, server in [*zip(*_ENDS, strict=True), *((f"client_{n}", f"server_{n}") for n in _MIRRORED)]:
        made[client] = np.where(swapped, rows[server], rows[client])
        made[server] = np.where(swapped, rows[client], rows[server])
    for name in ("fins", "resets"):
        bits = rows[name]
        made[name] = np.where(swapped, (bits & 1) << 1 | bits >> 1, bits)
    return made


def _merged(rows: Rows, starts: Ints) -> Rows:
    """One row for each group of rows that begins at `starts`."""
    merged = rows[starts]
    sizes = np.diff(starts, append=len(rows))
    several = sizes > 1
    if not several.any():
        return merged
    of_several = np.repeat(several, sizes)
    some, counts = rows[of_several], sizes[several]
    begin = np.cumsum(counts) - counts
    joined = some[begin]
    joined["first_ns"] = np.minimum.reduceat(some["first_ns"], begin)
    joined["last_ns"] = np.maximum.reduceat(some["last_ns"], begin)
    for name in _SUMS:
        total = np.add.reduceat(some[name].astype(np.uint64), begin)
        limit = COUNT_LIMIT if some[name].dtype.itemsize == 2 else np.iinfo(some[name].dtype).max
        joined[name] = np.minimum(total, np.uint64(limit))
    for name, unknown in _FIRST_KNOWN.items():
        joined[name] = _first_known(some[name], unknown, begin)
    for name in ("fins", "resets"):
        joined[name] = np.bitwise_or.reduceat(some[name], begin)
    _open_over_the_end(joined, some, begin, counts)
    merged[several] = joined
    return merged


def _first_known(values: NDArray[Any], unknown: int, begin: Ints) -> NDArray[Any]:
    """Of each group the first value that is not `unknown`."""
    at = np.minimum.reduceat(np.where(values != unknown, np.arange(len(values)), len(values)), begin)
    return np.where(at < len(values), values[np.minimum(at, len(values) - 1)], unknown)


def _open_over_the_end(joined: Rows, some: Rows, begin: Ints, counts: Ints) -> None:
    """What no part alone could know: the client's ACK came in the part after the SYN-ACK's, or one FIN came in each.
    A part shows begin and end of what it saw, no more: those stand for the moment."""
    of = np.repeat(np.arange(len(counts)), counts)
    is_tcp = joined["protocol"] == TCP
    answered_ns = joined["syn_ack_ns"][of]
    acknowledges = (answered_ns != NEVER) & (some["first_ns"] > answered_ns) & (some["client_packets"] > 0)
    acknowledges &= some["syns"] == 0
    at_ns = _first_known(np.where(acknowledges, some["first_ns"], NEVER), NEVER, begin)
    unknown = is_tcp & (joined["established_ns"] == NEVER) & ((joined["resets"] & 1) == 0)
    joined["established_ns"] = np.where(unknown, at_ns, joined["established_ns"])
    ended = is_tcp & (joined["closed_ns"] == NEVER) & (joined["fins"] == 3)
    last_fin_ns = np.maximum.reduceat(np.where(some["fins"] != 0, some["last_ns"], NEVER), begin)
    joined["closed_ns"] = np.where(ended, last_fin_ns, joined["closed_ns"])
