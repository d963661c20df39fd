"""SYNs that an ICMP error answers: whoever says so is the finding, the packet did not vanish without a word."""

from __future__ import annotations

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.evidence.absence.losses import Losses
from backend.forensics.evidence.absence.unresolved import UNRESOLVED_NS, server_of_links, unreachable_hosts
from backend.forensics.evidence.attempts.icmp_errors import MEANINGS, OTHER, TOO_BIG, IcmpErrors
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.sorted_rows import following

ICMP_WITHIN_NS = 10_000_000_000
"""A host that waits for a neighbor's answer says so after its probes (3 s on Linux, RFC 1122 section 2.3.2.1)."""
OUTAGE_NS = 60_000_000_000
"""How long an error speaks for later SYNs while nothing answers: rate limits leave most of them without their own."""


def icmp_reported(losses: Losses, errors: IcmpErrors) -> Bools:
    """Which losses an ICMP error answers: one that quotes a SYN of their attempt, soon after it, or one that says that
    their destination cannot be reached: sent when the packets that waited for its next hop were dropped, or before
    them, and no connection to that host was answered in between."""
    return _quoted(losses, errors) | _unresolved(losses, errors) | _in_outage(losses, errors)


def _unresolved(losses: Losses, errors: IcmpErrors) -> Bools:
    """Losses before an error "host unreachable" or "no route" about the same destination host."""
    retried = losses.attempts.retried
    reported, error_ns = unreachable_hosts(losses.attempts, errors)
    server = server_of_links(losses.attempts)[retried.link[losses.attempt]]
    sent_ns = retried.sent.time_ns[losses.sent]
    after = following((server, sent_ns), (reported, error_ns))
    found = after >= 0
    found[found] = error_ns[after[found]] - sent_ns[found] <= UNRESOLVED_NS
    return found


def _in_outage(losses: Losses, errors: IcmpErrors) -> Bools:
    """Losses after such an error, before the next SYN-ACK of the host."""
    attempts = losses.attempts
    servers, retried, table = server_of_links(attempts), attempts.retried, attempts.table
    reported, error_ns = unreachable_hosts(attempts, errors)
    answered = table["connect_delay_ns"] != NEVER
    host = servers[table["link"][answered]]
    answered_ns = table["start_ns"][answered] + table["connect_delay_ns"][answered]
    server, sent_ns = servers[retried.link[losses.attempt]], retried.sent.time_ns[losses.sent]
    # The last error before a SYN is the first one after it when time runs backwards.
    before = following((server, -sent_ns), (reported, -error_ns))
    found = before >= 0
    since_ns = error_ns[before[found]]
    answer = following((server[found], since_ns), (host, answered_ns))
    until_ns = since_ns + OUTAGE_NS
    until_ns[answer >= 0] = np.minimum(until_ns, answered_ns[np.maximum(answer, 0)])[answer >= 0]
    found[found] = sent_ns[found] <= until_ns
    return found


def _quoted(losses: Losses, errors: IcmpErrors) -> Bools:
    """Losses of attempts whose SYN an error quotes soon after it."""
    retried = losses.attempts.retried
    quotes = errors.ends_attempt & ~np.isin(errors.meaning, [MEANINGS.index(TOO_BIG), MEANINGS.index(OTHER)])
    position = np.full(len(errors.link), -1, np.int64)
    position[quotes] = retried.position_of_link[errors.link[quotes]]
    known = np.flatnonzero(position >= 0)
    # The latest error of an attempt bounds them all from above; the earliest SYN of it from below.
    latest = np.full(len(retried), np.iinfo(np.int64).min, np.int64)
    np.maximum.at(latest, position[known], errors.common_ns[known])
    sent_ns = retried.sent.time_ns[losses.sent]
    after_ns = latest[losses.attempt] - sent_ns
    found: Bools = (after_ns >= 0) & (after_ns <= ICMP_WITHIN_NS)
    return found


def first_losses(losses: Losses) -> Bools:
    """Which losses are of the first SYN of their attempt: what happened to a retry explains no delay that came before
    it."""
    sent = losses.attempts.retried.sent
    found: Bools = losses.sent == sent.start[losses.attempt]
    return found
