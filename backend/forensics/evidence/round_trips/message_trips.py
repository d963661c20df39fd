"""Round trips that only application messages show: HTTP requests and DNS lookups."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import following, stable_order, taken
from backend.forensics.messages import PAIRED_BY_ACK
from backend.forensics.round_trips import LOOKUP, REQUEST, ROUND_TRIP_DTYPE
from backend.forensics.signals import FIRST_COPY, SENT_AGAIN

_HTTP = (
    "connection", "vantage", "request_sequence", "request_first_ns", "request_last_ns", "response_first_ns",
    "request_last_frame", "response_first_frame", "from_client", "marks",
)  # fmt: skip

_ANSWER = 0x8000


def message_trips(capture: Capture) -> NDArray[np.void]:
    """Samples (ROUND_TRIP_DTYPE) of the capture's messages, `recent_bytes` 0: not counted for them. A request that was
    acknowledged by its response is among the packets' samples, too, under the same frames."""
    return np.concatenate([_requests(capture), _lookups(capture)])


def _requests(capture: Capture) -> NDArray[np.void]:
    if not capture.messages.http.rows:
        return np.zeros(0, ROUND_TRIP_DTYPE)
    table = capture.messages.http.read(_HTTP)
    column = {name: table.column(name).to_numpy() for name in _HTTP}
    whole = (column["request_last_ns"] != NEVER) & (column["response_first_ns"] != NEVER)
    whole &= (column["marks"] & PAIRED_BY_ACK) == 0
    whole &= column["response_first_ns"] >= column["request_last_ns"]
    whole &= ~_sent_again(capture, column)
    chosen = {name: values[whole] for name, values in column.items()}
    rows = _filled(capture, chosen["connection"], chosen["from_client"] == 1)
    rows["sent_ns"] = chosen["request_last_ns"]
    rows["rtt_ns"] = chosen["response_first_ns"] - chosen["request_last_ns"]
    rows["sent_frame"], rows["answer_frame"] = chosen["request_last_frame"], chosen["response_first_frame"]
    rows["vantage"], rows["sequence"], rows["kind"] = chosen["vantage"], chosen["request_sequence"], REQUEST
    return rows


def _sent_again(capture: Capture, column: Mapping[str, NDArray[np.generic]]) -> NDArray[np.bool_]:
    """Requests retransmitted before their response: nobody knows which copy was answered (RFC 6298 section 3), unless
    an ACK shows that the first copy was."""
    again, first = (
        _signals(capture, column, kind, own_side=own_side)
        for kind, own_side in ((SENT_AGAIN, True), (FIRST_COPY, False))
    )
    return again & ~first


def _signals(
    capture: Capture, column: Mapping[str, NDArray[np.generic]], kind: int, *, own_side: bool
) -> NDArray[np.bool_]:
    """Of each request: whether a signal of this kind, of its sender's side or of the other, came by its response."""
    signals = capture.signals[(capture.signals["kind"] & kind) != 0]
    asked = column["from_client"] == 1
    side = asked if own_side else ~asked
    after = following(
        (2 * column["connection"].astype(np.int64) + side, column["request_first_ns"].astype(np.int64)),
        (2 * signals["connection"].astype(np.int64) + (signals["from_client"] == 1), signals["time_ns"]),
    )
    found: NDArray[np.bool_] = after >= 0
    found[found] = signals["time_ns"][after[found]] <= column["response_first_ns"][found]
    return found


def _lookups(capture: Capture) -> NDArray[np.void]:
    """Query and answer of one socket with one id; asked twice, nobody knows which was answered."""
    if not capture.messages.dns.rows:
        return np.zeros(0, ROUND_TRIP_DTYPE)
    names = ("connection", "vantage", "id", "header", "time_ns", "frame")
    table = capture.messages.dns.read(names)
    column = {name: table.column(name).to_numpy() for name in names}
    # Socket and id in one number, by which rows of a capture sort faster than by two.
    socket = column["connection"].astype(np.int64) << 16 | column["id"].astype(np.int64)
    order = stable_order(socket, (column["frame"],))
    column = {name: values[order] for name, values in column.items()}
    same = np.diff(socket[order]) == 0
    answer = (column["header"] & _ANSWER) != 0
    follows = np.flatnonzero(same & ~answer[:-1] & answer[1:])
    asked_before = np.concatenate(([False], same & ~answer[:-1]))  # the query before is of the same question
    asked = follows[~asked_before[follows]]
    asked = asked[column["time_ns"][asked + 1] >= column["time_ns"][asked]]
    rows = _filled(capture, column["connection"][asked], np.ones(len(asked), np.bool_))
    rows["sent_ns"] = column["time_ns"][asked]
    rows["rtt_ns"] = column["time_ns"][asked + 1] - column["time_ns"][asked]
    rows["sent_frame"], rows["answer_frame"] = column["frame"][asked], column["frame"][asked + 1]
    rows["vantage"], rows["sequence"], rows["kind"] = column["vantage"][asked], column["id"][asked], LOOKUP
    return rows


def _filled(capture: Capture, connection: Ints, from_client: NDArray[np.bool_]) -> NDArray[np.void]:
    """Rows with the ends of their connections."""
    rows = np.zeros(len(connection), ROUND_TRIP_DTYPE)
    of = connection.astype(np.int64)
    for part in ("high", "low", "port"):
        client, server = (taken(capture.connections[f"{end}_{part}"], of) for end in ("client", "server"))
        rows[f"prober_{part}"] = np.where(from_client, client, server)
        rows[f"responder_{part}"] = np.where(from_client, server, client)
    rows["connection"], rows["from_client"] = connection, from_client
    return rows
