"""How many connections and lookups failed or took long, whether or not a rule fires: a part of the report."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempt_outcomes import ATTEMPT_OUTCOMES, attempt_outcomes
from backend.forensics.evidence.dns.lookups import NXDOMAIN, SERVFAIL
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence
from backend.forensics.report import EvidencePart, OutcomeCountPart, OutcomesPart

SLOW_FROM_S = 0.5
FRAMES_NAMED = 10
_FAILED_CONNECTIONS = ("refused", "unreachable", "unanswered")


def describe_outcomes(facts: Facts) -> list[OutcomesPart]:
    """One part for each kind of work that the captures show."""
    return [part for part in (_connections(facts), _lookups(facts)) if part is not None]


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
        rows = table[np.flatnonzero(mask)[np.argsort(-waited_s[mask], kind="stable")][:FRAMES_NAMED]]
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
    )  # fmt: skip


def _lookups(facts: Facts) -> OutcomesPart | None:
    """Each lookup by its last own question: what the application was told."""
    lookups = facts.dns.lookups
    own = np.flatnonzero(~lookups.leg)
    if not len(own):
        return None
    rows = lookups.exchanges.rows
    of = lookups.lookup[own]
    order = np.lexsort((rows["start_ns"][own], of))
    own, of = own[order], of[order]
    ends = np.append(np.flatnonzero(np.diff(of)), len(of) - 1)
    last, begun_ns = rows[own[ends]], rows["start_ns"][own[np.append(0, ends[:-1] + 1)]]
    answered = last["answer_ns"] != NEVER
    rcode = last["rcode"].astype(np.int64)
    masks = {
        "answered": answered & (rcode == 0),
        "name-error": answered & (rcode == NXDOMAIN),
        "server-failure": answered & (rcode == SERVFAIL),
        "other-error": answered & ~np.isin(rcode, (0, NXDOMAIN, SERVFAIL)),
        "unanswered": ~answered,
    }
    failed = ("server-failure", "other-error", "unanswered")
    lines = [
        OutcomeCountPart(outcome=name, count=int(mask.sum()), failed=name in failed)
        for name, mask in masks.items()
        if mask.any()
    ]
    slow = answered & (last["answer_ns"] - begun_ns >= SLOW_FROM_S * 1e9)
    return OutcomesPart(
        what="lookups", total=len(ends), failed=sum(line.count for line in lines if line.failed),
        slow=int(slow.sum()), slow_from_s=SLOW_FROM_S, by_outcome=lines,
    )  # fmt: skip
