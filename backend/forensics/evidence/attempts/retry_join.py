"""Finds the attempts whose SYN was sent again among all, and what became of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.attempts.retried import OUTCOMES, Retried
from backend.forensics.evidence.attempts.sent_syns import (
    Bools,
    Followers,
    SentSyns,
    list_followers,
    list_sent,
)
from backend.forensics.evidence.clocks.grouped_rows import is_among
from backend.forensics.evidence.clocks.path_order import PathOrder
from backend.forensics.evidence.clocks.sightings import Ints, Sightings
from backend.forensics.evidence.clocks.sorted_rows import distinct, taken
from backend.forensics.packets import ACK, ICMP, ICMPV6, RST, SYN


def find_retried(table: NDArray[np.void], sightings: Sightings, order: PathOrder) -> Retried:
    """`table` is that of all attempts (ATTEMPT_DTYPE), by start."""
    again = np.flatnonzero(table["transmissions"] > 1)
    link = table["link"][again]
    position_of_link = np.full(int(sightings.link_of_node.max(initial=-1)) + 1, -1, np.int64)
    position_of_link[link] = np.arange(len(again))
    attempt = np.full(len(sightings.rows), -1, np.int64)
    joined = np.flatnonzero(sightings.link >= 0)
    attempt[joined] = position_of_link[sightings.link[joined]]
    rank = np.array(order.rank, np.int64)
    sent = list_sent(attempt, sightings, rank, len(again))
    answers, replies = _followers(attempt, sightings, sent, rank)
    outcome = _outcomes(table["established"][again], sightings, sent, answers, replies)
    delay_s = _connect_delays_s(sightings, sent, answers, table["acknowledged_delay_ns"][again] / 1e9)
    if table["established"].any():
        # The captures hold the third packet of handshakes: without one these clients accepted no answer.
        delay_s[~table["established"][again]] = np.nan
    return Retried(sightings, again, link, sent, answers, replies, outcome, delay_s, position_of_link)


def _followers(
    attempt: Ints, sightings: Sightings, sent: SentSyns, rank: Ints
) -> tuple[Followers, Followers]:
    """(SYN-ACKs and SYNs of the end that was called, other packets from it)."""
    rows = sightings.rows
    others = np.flatnonzero((attempt >= 0) & (sightings.transmission < 0))
    is_answer = ((taken(rows["tcp_flags"], others) & (SYN | ACK)) == SYN | ACK) | sightings.peer[others]
    protocol = taken(rows["protocol"], others)
    bare = others[~is_answer & (protocol != ICMP) & (protocol != ICMPV6)]
    asked = _port_key(sent.attempt[sent.of_row], rows, sent.rows, "source_port", "destination_port")
    replied = _port_key(attempt[bare], rows, bare, "destination_port", "source_port")
    from_server = bare[is_among(replied, distinct(asked))] if len(bare) else bare
    answers = list_followers(others[is_answer], attempt, sightings, rank)
    return answers, list_followers(from_server, attempt, sightings, rank)


def _port_key(attempt: Ints, rows: NDArray[np.void], chosen: Ints, client: str, server: str) -> Ints:
    own, other = (taken(rows[name], chosen).astype(np.int64) for name in (client, server))
    ports = own << 16 | other
    return attempt << 32 | ports


def _outcomes(
    established: Bools, sightings: Sightings, sent: SentSyns, answers: Followers, replies: Followers
) -> NDArray[np.int8]:
    """An ICMP error that quotes one of its SYNs counts where nothing else ended the attempt."""
    total, rows = len(established), sightings.rows
    answered = answers.owners(total)
    resets = replies.chosen((rows["tcp_flags"][replies.rows] & RST) != 0).owners(total)
    outcome = np.full(total, OUTCOMES.index("unanswered"), np.int8)
    outcome[resets & ~answered] = OUTCOMES.index("refused")
    outcome[established] = OUTCOMES.index("established")
    icmp = np.flatnonzero((rows["protocol"] == ICMP) | (rows["protocol"] == ICMPV6))
    types = np.where(rows["protocol"][icmp] == ICMP, 3, 1)
    quoted = _quote_key(rows, icmp[rows["icmp_type"][icmp] == types])
    by_icmp = np.zeros(total, np.bool_)
    if len(quoted):
        by_icmp[sent.attempt[sent.of_row[np.isin(_quote_key(rows, sent.rows), quoted)]]] = True
    outcome[by_icmp & (outcome == OUTCOMES.index("unanswered"))] = OUTCOMES.index("unreachable")
    return outcome


def _quote_key(rows: NDArray[np.void], chosen: Ints) -> NDArray[np.uint64]:
    """Sequence number and ports: what an "unreachable" error quotes of a SYN (RFC 792, RFC 4443)."""
    source, destination = taken(rows["source_port"], chosen), taken(rows["destination_port"], chosen)
    ports = source.astype(np.uint64) << np.uint64(16) | destination
    key: NDArray[np.uint64] = taken(rows["sequence"], chosen).astype(np.uint64) << np.uint64(32) | ports
    return key


def _connect_delays_s(
    sightings: Sightings, sent: SentSyns, answers: Followers, acknowledged_s: NDArray[np.float64]
) -> NDArray[np.float64]:
    """From the first SYN to the SYN-ACK that was accepted, at the vantage point that saw the SYN first; NaN without.

    A client that sends its SYN again has not received the answers before: the first one after its last SYN counts.
    Without one the client's ACK shows when it had accepted an answer, and without that the last one seen."""
    delay_s = np.full(len(acknowledged_s), np.nan)
    first, last = sent.start[:-1], sent.start[1:] - 1
    at_first = sightings.place[answers.rows] == sightings.place[sent.first_row[first]][answers.attempt]
    near = answers.chosen(at_first).owners(len(delay_s))
    here = answers.chosen(at_first | ~near[answers.attempt])
    accepted = np.full(len(delay_s), -1, np.int64)
    # Where an index occurs several times the last value stays: the last answer, then the first of the late ones.
    accepted[here.attempt] = np.arange(len(here.rows))
    late = np.flatnonzero(here.time_ns > sent.time_ns[last][here.attempt])[::-1]
    accepted[here.attempt[late]] = late
    known = np.flatnonzero(accepted >= 0)
    delay_s[known] = (here.time_ns[accepted[known]] - sent.time_ns[first][known]) / 1e9
    span_s = (sent.time_ns[last] - sent.time_ns[first]) / 1e9
    by_ack = (delay_s <= span_s) & (acknowledged_s > span_s)
    delay_s[by_ack] = acknowledged_s[by_ack]
    return delay_s
