"""Groups ICMP errors by what they say and whom they are about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from backend.forensics.addresses import address_text, endpoint_text
from backend.forensics.cases.case import Case, Flow, end_of
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.unreachable.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts.icmp_errors import MEANINGS, TOO_BIG, TTL
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural
from backend.forensics.report import FindingPart, Severity

KIND = "unreachable"
REST = "other destinations"


@dataclass(frozen=True)
class Group:
    """Errors of one meaning about one destination; `positions` in `Facts.icmp_errors`."""

    meaning: str
    destination: str
    positions: Ints
    links: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreachable(Case):
    """Of one meaning and destination."""

    kind: str = KIND
    meaning: str
    errors: int
    attempts_ended: int
    reporters: list[str]


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per meaning and destination; "fragmentation needed" belongs to another rule."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    errors = facts.icmp_errors
    chosen = np.flatnonzero(errors.meaning != MEANINGS.index(TOO_BIG))
    if not len(chosen):
        return Detection("clear", "no ICMP error (unreachable, prohibited, time exceeded) was captured")
    groups = _fold(_groups(facts, chosen), thresholds.findings_most)
    why = f"{plural(len(chosen), 'ICMP error')} for {plural(len(groups), 'destination')}"
    return Detection.of(why, [_case(facts, group, thresholds) for group in groups], _present)


def _groups(facts: Facts, chosen: Ints) -> list[Group]:
    errors = facts.icmp_errors
    servers = _servers(facts, frozenset(int(link) for link in np.unique(errors.link[chosen]) if link >= 0))
    named: dict[tuple[str, str], list[int]] = {}
    for position in chosen.tolist():
        row = errors.rows[position]
        sender = address_text(int(row["destination_high"]), int(row["destination_low"]))
        name = servers.get(int(errors.link[position]), f"packets of {sender}")
        named.setdefault((MEANINGS[int(errors.meaning[position])], name), []).append(position)
    groups = [
        Group(meaning, name, np.array(at), frozenset(int(link) for link in errors.link[at] if link >= 0))
        for (meaning, name), at in named.items()
    ]
    return sorted(groups, key=lambda g: (-len(g.links), -len(g.positions), g.meaning, g.destination))


def _servers(facts: Facts, links: frozenset[int]) -> dict[int, str]:
    """By link: the address that the client asked for."""
    table = facts.attempts.table
    rows = table[np.isin(table["link"], np.array(sorted(links), np.int64))]
    return {
        int(r["link"]): endpoint_text(int(r["server_high"]), int(r["server_low"]), int(r["server_port"]))
        for r in rows
    }


def _fold(groups: list[Group], most: int) -> list[Group]:
    """The largest groups, and the rest of each meaning as one."""
    kept, rest = groups[:most], groups[most:]
    for meaning in sorted({g.meaning for g in rest}):
        same = [g for g in rest if g.meaning == meaning]
        links = frozenset(link for g in same for link in g.links)
        kept.append(Group(meaning, REST, np.concatenate([g.positions for g in same]), links))
    return kept


def _severity(facts: Facts, group: Group, thresholds: Thresholds) -> Severity:
    """Loud when connections ended by it; what only a traceroute or a datagram provokes is harmless."""
    if group.meaning == TTL or group.destination == REST:
        return "info"
    return "warning" if len(group.links) >= thresholds.notable_connections else "info"


def _count(facts: Facts, group: Group) -> int:
    """Connections reported, or errors at the vantage point that saw most: several places show the same error."""
    if group.links:
        return len(group.links)
    return int(np.bincount(facts.icmp_errors.place[group.positions]).max())


def _case(facts: Facts, group: Group, thresholds: Thresholds) -> Unreachable:
    errors, places = facts.icmp_errors, facts.attempts.places
    rows = errors.rows[group.positions]
    frames = [
        (places[place].input, frame)
        for place, frame in zip(errors.place[group.positions].tolist(), rows["frame"].tolist(), strict=True)
    ]
    count = _count(facts, group)
    reporters = sorted({address_text(h, low) for h, low in rows[["source_high", "source_low"]].tolist()})
    ended = len({int(link) for link in errors.link[group.positions[errors.ends_attempt[group.positions]]]})
    about = f"{plural(count, 'connection')} to" if group.links else f"{plural(count, 'error')} for"
    return Unreachable(
        severity=_severity(facts, group, thresholds),
        confidence=0.95,
        summary=f"{about} {group.destination}: {group.meaning}, reported by {', '.join(reporters[:3])}.",
        count=count,
        first_ns=int(errors.common_ns[group.positions].min()),
        last_ns=int(errors.common_ns[group.positions].max()),
        flows=(Flow("tcp" if group.links else "icmp", None, end_of(group.destination)),),
        evidence=tuple(frame_evidence(frames, "ICMP errors")),
        meaning=group.meaning,
        errors=len(rows),
        attempts_ended=ended,
        reporters=reporters[:100],
    )


def _present(case: Unreachable) -> FindingPart:
    return present_case(case, f"ICMP {case.meaning}: {case.target}")
