"""How many connections, lookups, requests and TLS handshakes failed or took long, whether or not a
rule fires."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import endpoint_text
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.attempt_outcomes import ATTEMPT_OUTCOMES, attempt_outcomes
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.sightings import boundaries, join_rows
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_argsort, taken_columns
from backend.forensics.evidence.dns.lookups import NXDOMAIN, SERVFAIL
from backend.forensics.evidence.dns.other_replies import (
    NOTHING,
    PORT_UNREACHABLE,
    UNDECODED,
    UNREACHABLE,
    OtherReplies,
)
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence
from backend.forensics.report import (
    DestinationOutcomePart,
    EvidencePart,
    OutcomeCountPart,
    OutcomesPart,
    OutcomeSubject,
)
from backend.forensics.request_outcomes import WAITS_FROM_NS, Tried, handshake_outcomes, request_outcomes

SLOW_FROM_S = 0.5
FRAMES_NAMED = 10
DESTINATIONS_NAMED = 10
_FAILED_LOOKUPS = (
    "truncated",
    "server-failure",
    "other-error",
    "port-unreachable",
    "unreachable",
    "unanswered",
)
_SERVER = ("server_high", "server_low", "server_port")
_FAILED_CONNECTIONS = ("refused", "unreachable", "unanswered", "half-open")


def describe_outcomes(facts: Facts) -> list[OutcomesPart]:
    """One part for each kind of work that the captures show."""
    requests = _tried(facts, "requests", request_outcomes(facts))
    handshakes = _tried(facts, "tls-handshakes", handshake_outcomes(facts))
    found = (_connections(facts), _lookups(facts), requests, handshakes)
    return [part for part in found if part is not None]


def _connections(facts: Facts) -> OutcomesPart | None:
    table = facts.attempts.table
    if not len(table):
        return None
    outcome = attempt_outcomes(facts)
    waited_s = np.where(table["connect_delay_ns"] != NEVER, table["connect_delay_ns"] / 1e9, 0.0)
    retried = facts.attempts.retried
    waited_s[retried.row] = retried.waited_s
    waited_s = np.where(facts.delays.measured, waited_s, 0.0)
    inputs = [place.input for place in facts.attempts.places]

    def frames(mask: NDArray[np.bool_]) -> list[EvidencePart]:
        rows = table[np.flatnonzero(mask)[stable_argsort(-waited_s[mask])][:FRAMES_NAMED]]
        pairs = zip(rows["place"].tolist(), rows["frame"].tolist(), strict=True)
        return frame_evidence((inputs[place], frame) for place, frame in pairs)

    lines = []
    for number, name in enumerate(ATTEMPT_OUTCOMES):
        mask = outcome == number
        if mask.any():
            failed = name in _FAILED_CONNECTIONS
            shown = [] if name == "established" else frames(mask)
            lines.append(OutcomeCountPart(outcome=name, count=int(mask.sum()), failed=failed, evidence=shown))
    slow = (outcome == ATTEMPT_OUTCOMES.index("established")) & (waited_s >= SLOW_FROM_S)
    return OutcomesPart(
        what="connections", total=len(table), failed=sum(line.count for line in lines if line.failed),
        slow=int(slow.sum()), slow_from_s=SLOW_FROM_S, by_outcome=lines, slowest=frames(slow),
        by_destination=_by_destination(
            table, np.isin(outcome, [ATTEMPT_OUTCOMES.index(name) for name in _FAILED_CONNECTIONS])
        ),
    )  # fmt: skip


def _tried(facts: Facts, what: OutcomeSubject, tried: Tried | None) -> OutcomesPart | None:
    if tried is None:
        return None
    failed = np.isin(tried.outcome, [n for n, name in enumerate(tried.names) if name in tried.failed])
    slow = ~failed & (tried.took_ns >= SLOW_FROM_S * 1e9)

    def frames(mask: Bools) -> list[EvidencePart]:
        rows = np.flatnonzero(mask)[stable_argsort(-tried.took_ns[mask])][:FRAMES_NAMED]
        pairs = zip(tried.capture[rows].tolist(), tried.frame[rows].tolist(), strict=True)
        return frame_evidence((facts.captures[capture].name, frame) for capture, frame in pairs)

    connections = join_rows([c.connections for c in facts.captures], CONNECTION_DTYPE)
    nodes = taken_columns(connections, _SERVER, tried.node)
    lines = [
        _line(
            name,
            tried.outcome == n,
            name in tried.failed,
            [] if name == "answered" else frames(tried.outcome == n),
        )
        for n, name in enumerate(tried.names)
    ]
    return OutcomesPart(
        what=what, total=len(failed), failed=int(failed.sum()), slow=int(slow.sum()), slow_from_s=SLOW_FROM_S,
        by_outcome=[line for line in lines if line.count], slowest=frames(slow),
        by_destination=_by_destination(nodes, failed),
    )  # fmt: skip


def _line(name: str, mask: Bools, failed: bool, shown: list[EvidencePart]) -> OutcomeCountPart:
    return OutcomeCountPart(outcome=name, count=int(mask.sum()), failed=failed, evidence=shown)


def _by_destination(
    rows: NDArray[np.void] | Mapping[str, NDArray[Any]], failed: Bools
) -> list[DestinationOutcomePart]:
    """Whom those that failed were meant for, the most failures first. `rows` hold their servers."""
    if not failed.any():
        return []
    columns = [rows[name] for name in _SERVER]
    order = lexsort(tuple(reversed(columns)))
    starts = np.flatnonzero(boundaries(columns, order))
    totals = np.diff(np.append(starts, len(order)))
    bad = np.add.reduceat(failed[order].astype(np.int64), starts)
    worst = lexsort((np.arange(len(starts)), -bad))[:DESTINATIONS_NAMED]
    return [
        DestinationOutcomePart(
            destination=endpoint_text(*(int(column[order[starts[n]]]) for column in columns)),
            total=int(totals[n]),
            failed=int(bad[n]),
        )
        for n in worst[bad[worst] > 0].tolist()
    ]


def _lookups(facts: Facts) -> OutcomesPart | None:
    """Each lookup by its last own question: what the application was answered."""
    lookups = facts.dns.lookups
    own = np.flatnonzero(~lookups.leg)
    if not len(own):
        return None
    rows = lookups.exchanges.rows
    of = lookups.lookup[own]
    order = lexsort((rows["start_ns"][own], of))
    own, of = own[order], of[order]
    ends = np.append(np.flatnonzero(np.diff(of)), len(of) - 1)
    first = own[np.append(0, ends[:-1] + 1)]
    last, begun_ns = rows[own[ends]], rows["start_ns"][first]
    answered = last["answer_ns"] != NEVER
    waited_ns = np.where(answered, last["answer_ns"], last["last_sent_ns"]) - begun_ns
    # Whoever asked just before the end may still be answered; where one direction alone was seen nobody can know.
    places, moved = lookups.messages.places, lookups.exchanges.offsets.of_place
    ended_ns = (
        np.array([place.file_ns[1] for place in places], np.int64)[last["place"]] - moved[last["place"]]
    )
    waited_for = ended_ns - last["last_sent_ns"] >= WAITS_FROM_NS
    connections = join_rows([c.connections for c in facts.captures], CONNECTION_DTYPE)
    nodes = taken_columns(connections, (*_SERVER, "server_packets"), last["node"])
    one_way = (nodes["server_packets"] == 0) & bool(len(facts.unheard_hosts))
    over_tcp = _after_truncated(facts, own, of)
    masks = _lookup_masks(last, facts.dns.replies[own[ends]], over_tcp, waited_for, one_way)

    def frames(mask: Bools) -> list[EvidencePart]:
        chosen = first[mask][stable_argsort(-waited_ns[mask])][:FRAMES_NAMED]
        asked = lookups.messages.rows[[int(lookups.exchanges.messages_of(q)[0]) for q in chosen.tolist()]]
        pairs = zip(asked["place"].tolist(), asked["frame"].tolist(), strict=True)
        return frame_evidence((lookups.messages.places[place].input, frame) for place, frame in pairs)

    failed = np.logical_or.reduce([masks[name] for name in _FAILED_LOOKUPS])
    lines = [
        _line(name, mask, name in _FAILED_LOOKUPS, [] if name in ("answered", "name-error") else frames(mask))
        for name, mask in masks.items()
        if mask.any()
    ]
    slow = answered & ~failed & (waited_ns >= SLOW_FROM_S * 1e9)
    return OutcomesPart(
        what="lookups", total=len(ends), failed=int(failed.sum()), slow=int(slow.sum()), slow_from_s=SLOW_FROM_S,
        by_outcome=lines, slowest=frames(slow), by_destination=_by_destination(nodes, failed),
    )  # fmt: skip


def _after_truncated(facts: Facts, own: NDArray[np.int64], of: NDArray[np.int64]) -> Bools:
    """By lookup, in order: a truncated answer came, and the last question was put over TCP. `own`: questions by lookup
    and time."""
    rows = facts.dns.lookups.exchanges.rows[own]
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    over_tcp = rows["over_tcp"][np.append(starts[1:], len(of)) - 1] == 1
    found: Bools = over_tcp & np.logical_or.reduceat(rows["truncated"] == 1, starts)
    return found


def _lookup_masks(
    last: NDArray[np.void], reply: OtherReplies, asked_over_tcp: Bools, waited_for: Bools, one_way: Bools
) -> dict[str, Bools]:
    """By outcome, beside the last questions: which lookups had it."""
    answered = last["answer_ns"] != NEVER
    rcode = last["rcode"].astype(np.int64)
    truncated = answered & (rcode == 0) & (last["truncated"] != 0)
    over_tcp = answered & (rcode == 0) & ~truncated & asked_over_tcp
    silent = ~answered & (reply == NOTHING)
    return {
        "answered": answered & (rcode == 0) & ~truncated & ~over_tcp,
        "truncated-then-tcp": over_tcp,
        "truncated": truncated & (last["answers"] == 0),
        "partly-truncated": truncated & (last["answers"] > 0),
        "name-error": answered & (rcode == NXDOMAIN),
        "server-failure": answered & (rcode == SERVFAIL),
        "other-error": answered & ~np.isin(rcode, (0, NXDOMAIN, SERVFAIL)),
        "undecoded-answer": ~answered & (reply == UNDECODED),
        "port-unreachable": ~answered & (reply == PORT_UNREACHABLE),
        "unreachable": ~answered & (reply == UNREACHABLE),
        "unanswered": silent & waited_for & ~one_way,
        "open-at-end": silent & ~waited_for & ~one_way,
        "answer-not-captured": silent & one_way,
    }
