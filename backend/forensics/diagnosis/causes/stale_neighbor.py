"""A neighbor entry has a MAC address that is not the host's: frames go to another host, or to none.

RFC 826; net/core/neighbour.c: an entry that was learned (STALE, DELAY) is used until a probe fails, a static one
(PERMANENT, as overlay plugins write them for their tunnel ends) for ever. After a host came back with another MAC
address without a gratuitous ARP (RFC 5227 section 3) its neighbors send to the old one. REACHABLE with another MAC
address means that another host answers for the address: it is there twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves
from backend.forensics.cases.case import Case
from backend.forensics.connections import NEVER
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.evidence.absence.address_conflicts import AddressConflict
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.neighbor_conflicts import NeighborConflict, find_neighbor_conflicts
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.private_words import PrivateWord, of_place
from backend.forensics.report import MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import series_text

CAUSE = "stale-neighbor"
TITLE = "Stale neighbor entry or duplicate address"
ALTERNATIVES: Final = (
    Alternative("A host that is down", "no MAC answers for the address; here one does, or two do"),
)
COLLECT: Final = (
    MissingPart(
        what="Which MAC addresses answer for the address",
        command="arping -c 3 -I eth0 ADDRESS; ip neigh show ADDRESS; tcpdump -eni eth0 arp",
    ),
)
CONFLICTS_MOST = 5
"""Entries that are judged: after a mistake in a plugin a table holds hundreds of the same kind."""
FAILED_LEAST = 2
_REACHABLE: Final = "REACHABLE"
_CONNECTION_OPENS = -5.0

REFERENCES = (
    "RFC 826: Ethernet address resolution; RFC 5227 sections 2.4 and 3: address conflicts, announcements",
    "net/core/neighbour.c: neigh_update(), neigh_timer_handler(); ip-neighbour(8): states",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by a connection that opens through this entry",
    remedies=(
        RemedyPart(
            what="Delete the entry, so that the address is resolved again",
            command="ip neigh del ADDRESS dev INTERFACE",
            applies_to="the host that holds the entry",
            check="ip neigh show ADDRESS; ip link show dev INTERFACE   # on the host that has the address",
            proof="ip neigh shows the host's own MAC address; a connection opens",
            undo="ip neigh replace ADDRESS lladdr OLD dev INTERFACE",
            side_effect="the next packet waits for one ARP round trip",
            versions="an overlay plugin writes its entries again: restart its agent on that node",
        ),
        RemedyPart(
            what="Announce the address from the host that has it",
            command="arping -U -c 3 -I INTERFACE ADDRESS",
            applies_to="the host that has the address; entries that are not PERMANENT",
            check="arping -D -c 3 -I INTERFACE ADDRESS   # an answer: another host has the address, too",
            proof="its neighbors show the new MAC address",
            undo="not needed: neighbors keep what is true",
            side_effect="where the address is there twice, both hosts fight over it: remove it from one",
            versions=None,
        ),
    ),
    rivals=(
        RivalPart(
            cause="proxy-arp",
            title="Proxy ARP",
            status="cannot-tell",
            because="a router that answers for other hosts puts its own MAC address there, and passes the packets on",
            command="sysctl -a 2>/dev/null | grep proxy_arp; bridge fdb show",
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per entry that the owner of the address contradicts."""
    found = find_neighbor_conflicts(facts.listed_hosts.hosts)
    each_once = {(c.asker.name, c.address, c.listed): c for c in found}
    listed = [_hypothesis(facts, conflict) for conflict in list(each_once.values())[:CONFLICTS_MOST]]
    answered_twice = (_duplicate(facts, each) for each in facts.address_conflicts[:CONFLICTS_MOST])
    return [*listed, *(found for found in answered_twice if found is not None)]


def _duplicate(facts: Facts, one: AddressConflict) -> Hypothesis | None:
    """Two MAC addresses answer for an address to which connections did not open."""
    rows, failed = _connections(facts, one.address)
    if not failed.any():
        return None
    links = series_text(list(one.links))
    text = f"{links} both answered {plural(one.questions, 'question')} for the MAC address of {one.address}."
    count = f"{int(failed.sum()):,} of {plural(len(rows), 'connection')} to {one.address} stayed unanswered."
    pieces = [
        Weighed(2.6, text, frame_evidence(one.frames), "a neighbor keeps either answer, by chance"),
        Weighed(0.8, count, frame_evidence(_frames(facts, rows[failed])), "frames went to one of two hosts"),
    ]
    statement = (
        f"Two MAC addresses answer for {one.address}, {links}: frames go to either, and "
        f"{int(failed.sum()):,} of {plural(len(rows), 'connection')} to it stayed unanswered."
    )
    command = f"arping -D -c 3 -I INTERFACE {one.address}; ip neigh show {one.address}"
    missing = (MissingPart(what="Which hosts have the two MAC addresses", command=command),)
    return from_listings(_CAUSE, statement, pieces, missing=missing)


def _connections(facts: Facts, address: str) -> tuple[NDArray[np.void], NDArray[np.bool_]]:
    """(connections to the address, which of them stayed unanswered)."""
    high, low = address_halves(address)
    table = facts.attempts.table
    rows = table[(table["server_high"] == high) & (table["server_low"] == low)]
    opened = (rows["connect_delay_ns"] != NEVER) | rows["established"]
    return rows, ~opened


def _frames(facts: Facts, rows: NDArray[np.void]) -> list[Frame]:
    places = facts.attempts.places
    pairs = zip(rows["place"].tolist(), rows["frame"].tolist(), strict=True)
    return [(places[place].input, frame) for place, frame in pairs]


def _hypothesis(facts: Facts, one: NeighborConflict) -> Hypothesis:
    owner = f"{PrivateWord(one.owner.name, 'host')}" if one.owner.name else "the host that has it"
    statement = (
        f"The neighbor entry for {one.address}{on_host(one.asker)} has {one.listed}; {owner} has {one.own}: "
        "frames do not reach it."
    )
    command = f"ip neigh show {one.address}; arping -c 3 -I INTERFACE {one.address}"
    missing = (MissingPart(what="Which MAC addresses answer for the address", command=command),)
    packets = [*_packets(facts, one), *_unacknowledged(facts, one)]
    found = from_listings(_CAUSE, statement, [*_entry(facts, one), *packets], missing=missing)
    supported = any(piece.weight > 0 for piece in packets)
    return replace(found, attempts=_unopened(facts, one.address) if supported else ())


def _unopened(facts: Facts, address: str) -> tuple[int, ...]:
    """Links of the attempts to and from that address that did not open: neither SYNs nor SYN-ACKs reach it."""
    high, low = address_halves(address)
    table = facts.attempts.table
    to_it = (table["server_high"] == high) & (table["server_low"] == low)
    from_it = (table["client_high"] == high) & (table["client_low"] == low)
    # SYN-ACKs to that address are captured on their way; it acknowledges none.
    unheard = (to_it & (table["connect_delay_ns"] == NEVER)) | (
        from_it & (table["acknowledged_delay_ns"] == NEVER)
    )
    failed = unheard & ~table["established"] & (table["transmissions"] > 1)
    return tuple(sorted(table["link"][failed].tolist()))


def _entry(facts: Facts, one: NeighborConflict) -> list[Weighed]:
    text = (
        f"The entry for {one.address} is {one.listed} ({one.state}); the host's own output has {one.own} on "
        f"{of_place(one.interface)}."
    )
    evidence = line_evidence(one.lines)
    if any(one.listed in host.link_addresses for host in facts.listed_hosts.hosts):
        reason = "a MAC address of another listed host: a router that answers for it, or the address is there twice"
        return [Weighed(1.5, text, evidence, reason)]
    pieces = [
        Weighed(3.6, text, evidence, "no interface of the host that has the address has that MAC address")
    ]
    if one.state == _REACHABLE:
        text = f"The entry is {_REACHABLE}: some host confirmed that MAC address a moment ago."
        pieces.append(
            Weighed(0.4, text, line_evidence(one.lines[:1]), "another host answers for the address")
        )
    return pieces


def _packets(facts: Facts, one: NeighborConflict) -> list[Weighed]:
    """Connections to the address: one that opens reached the host."""
    rows, failed = _connections(facts, one.address)
    frames = _frames(facts, rows)
    if not failed.all():
        text = f"{int((~failed).sum()):,} of {plural(len(rows), 'connection')} to {one.address} opened."
        return [Weighed(_CONNECTION_OPENS, text, frame_evidence(frames), "its frames reach the host")]
    if len(rows) >= FAILED_LEAST:
        text = f"None of {plural(len(rows), 'connection')} to {one.address} opened."
        return [Weighed(1.2, text, frame_evidence(frames), "frames to another MAC address do not arrive")]
    return []


def _unacknowledged(facts: Facts, one: NeighborConflict) -> list[Weighed]:
    """Connections from the address whose SYN-ACKs were captured on their way to it."""
    high, low = address_halves(one.address)
    table = facts.attempts.table
    rows = table[(table["client_high"] == high) & (table["client_low"] == low)]
    failed = (rows["connect_delay_ns"] != NEVER) & (rows["acknowledged_delay_ns"] == NEVER)
    failed &= ~rows["established"]
    if failed.sum() < FAILED_LEAST or not failed.all():
        return []
    text = f"None of {plural(len(rows), 'connection')} from {one.address} acknowledged its SYN-ACK."
    frames = frame_evidence(_frames(facts, rows))
    return [Weighed(1.2, text, frames, "frames to another MAC address do not arrive")]
