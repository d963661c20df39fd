"""What became of every connection attempt, also of those whose SYN was sent once."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.attempts.retried import OUTCOMES
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import join_rows
from backend.forensics.evidence.facts import Facts
from backend.forensics.packets import ICMP, ICMPV6, RST

AttemptOutcome = Literal[
    "established", "refused", "unreachable", "unanswered", "open-at-end", "answer-not-captured", "half-open"
]
ATTEMPT_OUTCOMES: Final[tuple[AttemptOutcome, ...]] = (
    *OUTCOMES,
    "open-at-end",
    "answer-not-captured",
    "half-open",
)
"""``open-at-end``: its SYN or SYN-ACK was sent once, and the capture ended before the first time-out;
``answer-not-captured``: no answer of this host passes the vantage points, other connections to it opened all the same;
``half-open`` (RFC 4987): the client sent nothing after the SYN-ACK."""
FIRST_TIME_OUT_NS = 1_000_000_000
"""RFC 6298 section 2: whoever has waited less may still be answered."""


def attempt_outcomes(facts: Facts) -> NDArray[np.int8]:
    """Beside `Attempts.table`: indices into ATTEMPT_OUTCOMES."""
    attempts = facts.attempts
    table, retried, seen = attempts.table, attempts.retried, attempts.sightings
    if not len(table):
        return np.zeros(0, np.int8)
    answered = table["established"] | (table["connect_delay_ns"] != NEVER)
    # A client that sent its SYN again accepted an answer only if it acknowledged one, where captures hold such packets.
    answered[retried.row] = table["established"][retried.row] | ~np.isnan(retried.connect_delay_s)
    replied = (seen.link >= 0) & (seen.transmission < 0)
    protocol = seen.rows["protocol"]
    by_icmp = replied & ((protocol == ICMP) | (protocol == ICMPV6))
    reset = replied & ~by_icmp & ((seen.rows["tcp_flags"] & RST) != 0)
    outcome = np.full(len(table), ATTEMPT_OUTCOMES.index("unanswered"), np.int8)
    capture = np.array([place.capture for place in attempts.places], np.int64)[table["place"]]
    ends_ns = np.array([c.last_ns for c in facts.captures], np.int64)
    ends_ns = attempts.clocks.of_captures(capture, ends_ns[capture])
    outcome[ends_ns - table["start_ns"] < FIRST_TIME_OUT_NS] = ATTEMPT_OUTCOMES.index("open-at-end")
    outcome[retried.row] = retried.outcome
    outcome[np.isin(table["link"], seen.link[by_icmp]) & (table["transmissions"] == 1)] = (
        ATTEMPT_OUTCOMES.index("unreachable")
    )
    outcome[np.isin(table["link"], seen.link[reset]) & (table["transmissions"] == 1)] = (
        ATTEMPT_OUTCOMES.index("refused")
    )
    server = mix(table["server_high"], table["server_low"])
    silent = np.isin(outcome, [ATTEMPT_OUTCOMES.index(name) for name in ("unanswered", "open-at-end")])
    outcome[silent & np.isin(server, facts.unheard_hosts)] = ATTEMPT_OUTCOMES.index("answer-not-captured")
    outcome[answered] = ATTEMPT_OUTCOMES.index("established")
    half_open = answered & _half_open(facts)
    since_ns = ends_ns - table["start_ns"] - table["connect_delay_ns"]
    outcome[half_open] = np.where(
        since_ns[half_open] >= FIRST_TIME_OUT_NS,
        ATTEMPT_OUTCOMES.index("half-open"),
        ATTEMPT_OUTCOMES.index("open-at-end"),
    )
    return outcome


def _half_open(facts: Facts) -> NDArray[np.bool_]:
    """Attempts whose client sent nothing but SYNs although a SYN-ACK came, in a capture that holds the ACKs of other
    clients."""
    table, link_of_node = facts.attempts.table, facts.attempts.sightings.link_of_node
    connections = join_rows([c.connections for c in facts.captures], CONNECTION_DTYPE)
    sent_more = np.zeros(int(link_of_node.max(initial=-1)) + 1, np.bool_)
    sent_more[link_of_node[connections["client_packets"] > connections["syns"]]] = True
    capture = np.array([place.capture for place in facts.attempts.places], np.int64)[table["place"]]
    holds_acks = np.zeros(len(facts.captures), np.bool_)
    holds_acks[capture[table["acknowledged_delay_ns"] != NEVER]] = True
    found: NDArray[np.bool_] = (table["connect_delay_ns"] != NEVER) & ~table["established"]
    found &= holds_acks[capture] & ~sent_more[table["link"]]
    return found
