"""What became of every connection attempt, also of those whose SYN was sent once."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.matched_packets import mix
from backend.forensics.evidence.retried import OUTCOMES
from backend.forensics.packets import ICMP, ICMPV6, RST

AttemptOutcome = Literal[
    "established", "refused", "unreachable", "unanswered", "open-at-end", "answer-not-captured"
]
ATTEMPT_OUTCOMES: Final[tuple[AttemptOutcome, ...]] = (*OUTCOMES, "open-at-end", "answer-not-captured")
"""``open-at-end``: its SYN was sent once, and the capture ended before the first time-out; ``answer-not-captured``: no
answer of this host passes the vantage points, other connections to it opened all the same."""
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
    return outcome
