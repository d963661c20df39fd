"""What retries and findings add to rows of the connection table, by link."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from backend.forensics.addresses import endpoint_text
from backend.forensics.evidence.attempts.retried import OUTCOMES
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import FindingPart

Note = dict[str, Any]
_Ends = tuple[str, str]
"""(client, server), each address and port as the client's side shows them."""

_ABOUT_EVERY_RETRY: Final = "syn-retransmission"
"""Findings of this kind are about all attempts to their destination that were sent again; their events show some."""


def notes_by_link(facts: Facts, findings: Sequence[FindingPart]) -> dict[int, Note]:
    """Of every attempt that was sent again: ``tries``, ``gaps`` and ``connect_s`` in seconds, ``outcome``, the
    vantage points where it was ``missing``, the ``ids`` of findings about it and its ``instance`` in the first."""
    notes = _retry_notes(facts)
    inside = np.flatnonzero(facts.losses.is_kind("inside"))
    links = facts.attempts.retried.link[facts.losses.attempt[inside]]
    for link, outer in zip(links.tolist(), facts.losses.outer[inside].tolist(), strict=True):
        notes[link]["missing"].append(facts.attempts.places[outer].id)
    _mark(_by_ends(facts, notes, findings), findings)
    return notes


def _retry_notes(facts: Facts) -> dict[int, Note]:
    retried = facts.attempts.retried
    gaps_s = (np.diff(retried.sent.time_ns) / 1e9).tolist()
    starts, outcomes = retried.sent.start.tolist(), retried.outcome.tolist()
    delays_s = retried.connect_delay_s.tolist()
    return {
        link: {
            "tries": starts[n + 1] - starts[n],
            "gaps": gaps_s[starts[n] : starts[n + 1] - 1],
            "connect_s": None if np.isnan(delays_s[n]) else delays_s[n],
            "ids": [],
            "missing": [],
            "outcome": OUTCOMES[outcomes[n]],
        }
        for n, link in enumerate(retried.link.tolist())
    }


def _by_ends(
    facts: Facts, notes: dict[int, Note], findings: Sequence[FindingPart]
) -> list[tuple[_Ends, Note]]:
    """The notes of attempts to servers that an event or a finding is about, in the order of the attempts."""
    servers = {_target(finding) for finding in findings}
    servers |= {_destination(finding, event) for finding in findings for event in finding.events}
    retried = facts.attempts.retried
    packets = retried.sightings.rows[retried.first_row]
    parts = ("high", "low", "port")
    clients, asked = (
        list(zip(*(packets[f"{end}_{part}"].tolist() for part in parts), strict=True))
        for end in ("source", "destination")
    )
    name = cache(endpoint_text)
    return [
        ((name(*clients[n]), name(*asked[n])), notes[link])
        for n, link in enumerate(retried.link.tolist())
        if name(*asked[n]) in servers
    ]


def _mark(known: Sequence[tuple[_Ends, Note]], findings: Sequence[FindingPart]) -> None:
    """Give each note the findings about it, in their order."""
    latest = dict(known)
    of_server: dict[str, list[Note]] = {}
    for (_, server), note in known:
        of_server.setdefault(server, []).append(note)
    for finding in findings:
        if finding.kind == _ABOUT_EVERY_RETRY:
            for note in of_server.get(_target(finding), ()):
                note["ids"].append(finding.id)
        for event in finding.events:
            note_of_event = latest.get((str(event.get("source")), _destination(finding, event)))
            if note_of_event is not None:
                _add(note_of_event, finding, event)


def _add(note: Note, finding: FindingPart, event: dict[str, Any]) -> None:
    if finding.id not in note["ids"]:
        note["ids"].append(finding.id)
    note.setdefault("instance", event.get("instance"))


def _destination(finding: FindingPart, event: dict[str, Any]) -> str:
    return str(event.get("destination") or _target(finding))


def _target(finding: FindingPart) -> str:
    return str(finding.affected[0].get("destination", "")) if finding.affected else ""
