"""What became of HTTP requests and of TLS handshakes, whether or not a rule fires."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.sightings import Ints, join_rows
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort, taken_columns
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.exchanges import read_rows
from backend.forensics.messages import ALERT, HELLO
from backend.forensics.round_trips import REQUEST

WAITS_FROM_NS = 1_000_000_000
"""Whoever has waited less when the capture ended may still be answered."""
_BY_SERVER = 2
"""Bit of `resets`."""
_FATAL = 2


@dataclass(frozen=True, eq=False)
class Tried:
    """Columns beside one another; `took_ns` is NEVER where nothing was answered. `outcome` indexes `names`."""

    names: tuple[str, ...]
    failed: frozenset[str]
    outcome: NDArray[np.int8]
    took_ns: Ints
    capture: Ints
    frame: Ints
    node: Ints


def request_outcomes(facts: Facts) -> Tried | None:
    """Each HTTP request once; None without any."""
    exchanges = facts.exchanges
    if not len(exchanges):
        return None
    asked = _columns(facts, exchanges.capture, exchanges.row, ("connection", "request_first_frame"))
    node = _offsets(facts)[exchanges.capture] + asked["connection"]
    answered = np.flatnonzero(exchanges.answer_row >= 0)
    status = np.zeros(len(exchanges), np.int64)
    status[answered] = _columns(
        facts, exchanges.answer_capture[answered], exchanges.answer_row[answered], ("status",)
    )["status"]
    names = ("answered", "client-error", "server-error", "reset", "unanswered", "not-seen")
    outcome = np.full(len(exchanges), names.index("not-seen"), np.int8)
    outcome[answered] = np.select(
        [status[answered] >= 500, status[answered] >= 400],
        [names.index("server-error"), names.index("client-error")],
        names.index("answered"),
    )
    rest = np.flatnonzero(exchanges.answer_row < 0)
    reset, silent = _ends(facts, node[rest], exchanges.start_ns[rest], exchanges.lasts_ns[rest])
    outcome[rest[silent]] = names.index("unanswered")
    outcome[rest[reset]] = names.index("reset")
    took_ns = np.where(exchanges.end_ns != NEVER, exchanges.end_ns - exchanges.start_ns, NEVER)
    failed = frozenset(("server-error", "reset", "unanswered"))
    return Tried(names, failed, outcome, took_ns, exchanges.capture, asked["request_first_frame"], node)


def handshake_outcomes(facts: Facts) -> Tried | None:
    """Each TLS connection once, from its ClientHello to the first data of its server; None without any."""
    parts = [_hellos(facts, number) for number in range(len(facts.captures))]
    capture, frame, time_ns, node, fatal = (
        np.concatenate([part[n] for part in parts] or [np.zeros(0, np.int64)]) for n in range(5)
    )
    if not len(frame):
        return None
    link = facts.attempts.sightings.link_of_node[node]
    order = lexsort((frame, time_ns, link))
    first = order[np.flatnonzero(np.diff(link[order], prepend=-1))]
    alerted = np.isin(link[first], link[fatal != 0])
    capture, frame, time_ns, node = (column[first] for column in (capture, frame, time_ns, node))
    took_ns = _answers_ns(facts, capture, frame)
    names = ("answered", "alert", "reset", "unanswered", "not-seen")
    outcome = np.full(len(first), names.index("answered"), np.int8)
    rest = np.flatnonzero(took_ns == NEVER)
    ends_ns = np.array([each.last_ns for each in facts.captures], np.int64)[capture]
    reset, silent = _ends(facts, node[rest], time_ns[rest], ends_ns[rest] - time_ns[rest])
    outcome[rest] = names.index("not-seen")
    outcome[rest[silent]] = names.index("unanswered")
    outcome[rest[reset]] = names.index("reset")
    outcome[alerted] = names.index("alert")
    failed = frozenset(("alert", "reset", "unanswered"))
    return Tried(names, failed, outcome, took_ns, capture, frame, node)


def _hellos(facts: Facts, number: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """(capture, frame, time, node, 1 where a fatal alert followed) of the ClientHellos of a capture."""
    names = ("frame", "time_ns", "connection", "kind", "alert_level")
    table = facts.captures[number].messages.tls.read(names)
    column = {name: table.column(name).to_numpy().astype(np.int64) for name in names}
    refused = column["connection"][(column["kind"] == ALERT) & (column["alert_level"] == _FATAL)]
    hello = column["kind"] == HELLO
    fatal = np.isin(column["connection"], refused).astype(np.int64)
    node = facts.attempts.sightings.node_offset[number] + column["connection"]
    return (
        np.full(int(hello.sum()), number),
        column["frame"][hello],
        column["time_ns"][hello],
        node[hello],
        fatal[hello],
    )


def _answers_ns(facts: Facts, capture: Ints, frame: Ints) -> Ints:
    """How long the server took to answer the data of these frames, NEVER where no answer was timed."""
    took_ns = np.full(len(frame), NEVER, np.int64)
    for number in distinct(capture).tolist():
        mine = np.flatnonzero(capture == number)
        mine = mine[np.argsort(frame[mine])]
        for batch in facts.captures[number].round_trips.batches(("sent_frame", "rtt_ns", "kind")):
            sent = batch.column("sent_frame").to_numpy().astype(np.int64)
            at = np.minimum(np.searchsorted(frame[mine], sent), len(mine) - 1)
            known = (frame[mine][at] == sent) & (batch.column("kind").to_numpy() == REQUEST)
            took_ns[mine[at[known]]] = batch.column("rtt_ns").to_numpy().astype(np.int64)[known]
    return took_ns


def _ends(facts: Facts, node: Ints, asked_ns: Ints, lasts_ns: Ints) -> tuple[Bools, Bools]:
    """(the server answered with RST, nothing came although it was waited for) of connections in which something was
    asked. Where the server said anything that could not be read, or was never seen, neither is claimed."""
    names = "resets", "closed_ns", "server_packets", "lost_segments", "server_bytes"
    nodes = taken_columns(join_rows([c.connections for c in facts.captures], CONNECTION_DTYPE), names, node)
    reset = (nodes["resets"] & _BY_SERVER) != 0
    # Times of the connection table are on its capture's clock: compared within a second.
    reset &= nodes["closed_ns"] >= asked_ns - WAITS_FROM_NS
    heard = (nodes["server_packets"] > 0) & (nodes["lost_segments"] == 0)
    silent = heard & (nodes["server_bytes"] == 0) & (lasts_ns >= WAITS_FROM_NS)
    return reset, silent & ~reset


def _offsets(facts: Facts) -> Ints:
    return np.array(facts.attempts.sightings.node_offset, np.int64)


def _columns(facts: Facts, capture: Ints, row: Ints, names: tuple[str, ...]) -> dict[str, Ints]:
    read = read_rows(facts.captures, capture, row, names)
    return {name: read[name].to_numpy().astype(np.int64) for name in names}
