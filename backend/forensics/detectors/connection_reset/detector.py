"""Sorts resets by who sent them and what had gone before, per destination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.cases.case import Flow, end_of
from backend.forensics.cases.connection_reset import ConnectionReset
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.connection_reset.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.clocks.sightings import Ints, join_rows
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_order, taken
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.untranslated import tuple_key
from backend.forensics.evidence.reset_origin import (
    BY_SERVER_BIT,
    refused_on_path,
    reset_on_path,
    reset_routes,
)
from backend.forensics.findings import frame_evidence, plural
from backend.forensics.packets import TCP
from backend.forensics.report import FindingPart, Severity

KIND = "connection-reset"
REST = "other destinations"
REFUSED: Final = 1
BY_SERVER: Final = 2
BY_CLIENT: Final = 3
UNTRANSLATED: Final = 4
ON_PATH: Final = 5
BY_SERVER_OR_PATH: Final = 6
REFUSED_ON_PATH: Final = 7
REFUSALS: Final = (REFUSED, REFUSED_ON_PATH)
WORDS = {
    REFUSED: "refused",
    BY_SERVER: "reset by the server",
    BY_CLIENT: "reset by the client",
    ON_PATH: "reset by a device on the path, in the server's name",
    BY_SERVER_OR_PATH: "reset by the server or by a device on the path",
    REFUSED_ON_PATH: "refused by a device on the path, in the server's name",
    UNTRANSLATED: "reset by the client: un-NATed packet from an unknown address",
}


@dataclass(frozen=True)
class Group:
    """Resets of one sort towards one destination; `rows` are CONNECTION_DTYPE, one per connection."""

    sort: int
    destination: str
    rows: NDArray[np.void]
    inputs: tuple[str, ...]
    closed_ns: Ints
    """When each ended, on the reference clock."""
    opened: int
    answered: int
    """HTTP requests that the destination answered: of kept connections each carries many."""
    refused_of_open: int = 0
    """Refused by an address and port that accepted others."""
    accepted: int = 0
    """Connections that these addresses and ports accepted."""


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per sort and destination."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    table, capture, nodes = _once_each(facts)
    if not len(table):
        return Detection("not-checkable", "not applicable: no TCP connection was captured")
    sort = _sorts(table)
    _mark_un_nated(facts, table, nodes, sort)
    _mark_on_path(facts, table, capture, nodes, sort)
    chosen = np.flatnonzero(sort)
    if not len(chosen):
        return Detection("clear", f"0 of {plural(len(table), 'TCP connection')} ended by a RST before a FIN")
    groups, total = _groups(facts, table, capture, sort, thresholds.findings_most)
    more = total - len(groups)
    rest = f"; {more} smaller groups not listed" if more > 0 else ""
    why = f"{len(chosen):,} of {plural(len(table), 'TCP connection')} ended by a RST before a FIN{rest}"
    return Detection.of(why, [_case(group, thresholds) for group in groups], _present)


def _once_each(facts: Facts) -> tuple[NDArray[np.void], Ints, Ints]:
    """(each logical connection as its innermost vantage point saw it, number of that capture, row of all tables)."""
    table = join_rows([c.connections for c in facts.captures], CONNECTION_DTYPE)
    capture = np.repeat(np.arange(len(facts.captures)), [len(c.connections) for c in facts.captures])
    first_place = np.cumsum([0, *(len(c.vantage_points) for c in facts.captures)])
    tcp = np.flatnonzero(table["protocol"] == TCP)
    place = first_place[capture[tcp]] + taken(table["vantage"], tcp).astype(np.int64)
    rank = np.array(facts.attempts.order.rank, np.int64)[place]
    link = facts.attempts.sightings.link_of_node[tcp]
    order = stable_order(link, (rank,))
    kept = tcp[order[np.flatnonzero(np.diff(link[order], prepend=-1))]]
    # A copy of a large table takes longer than all that is asked of it here.
    is_whole = np.array_equal(kept, np.arange(len(table)))
    if not is_whole or any(packet.ends_swapped for packet in facts.un_nated):
        table = table[kept]
    return table, capture[kept].astype(np.int64), kept.astype(np.int64)


def _sorts(table: NDArray[np.void]) -> Ints:
    """0 for connections that need no word: no RST, or a RST after a FIN."""
    reset = (table["resets"] != 0) & (table["fins"] == 0)
    opened = (table["syn_ack_ns"] != NEVER) | ((table["client_bytes"] > 0) & (table["server_bytes"] > 0))
    sort = np.zeros(len(table), np.int64)
    sort[reset & opened & ((table["resets"] & 1) != 0)] = BY_CLIENT
    sort[reset & opened & (table["resets"] == 2)] = BY_SERVER
    sort[reset & ~opened & ((table["resets"] & 2) != 0) & (table["syns"] > 0)] = REFUSED
    return sort


def _mark_un_nated(facts: Facts, table: NDArray[np.void], nodes: Ints, sort: Ints) -> None:
    """Each un-NATed packet once, with the end that reset it as the client."""
    among = np.flatnonzero(np.isin(nodes, [packet.node for packet in facts.un_nated]))
    at_of_node = {int(nodes[at]): at for at in among.tolist()}
    for packet in facts.un_nated:
        at = at_of_node.get(packet.node)
        if at is not None:
            sort[at] = UNTRANSLATED
            if packet.ends_swapped:
                _swap_ends(table, at)


def _mark_on_path(facts: Facts, table: NDArray[np.void], capture: Ints, nodes: Ints, sort: Ints) -> None:
    at = np.flatnonzero(sort == BY_SERVER)
    closed_ns = facts.clocks.of_captures(capture[at], _closed_ns(table[at]))
    on_path, routes = reset_on_path(facts, nodes[at], closed_ns), reset_routes(facts, nodes[at])
    sort[at[~routes.direct]] = BY_SERVER_OR_PATH
    sort[at[on_path | routes.elsewhere]] = ON_PATH
    # A client's kernel answers with RSTs, too, what the server sends after a RST in its name.
    both = np.flatnonzero((sort == BY_CLIENT) & ((table["resets"] & BY_SERVER_BIT) != 0))
    closed_ns = facts.clocks.of_captures(capture[both], _closed_ns(table[both]))
    sort[both[reset_on_path(facts, nodes[both], closed_ns)]] = ON_PATH
    refused, opened = np.flatnonzero(sort == REFUSED), np.flatnonzero(table["syn_ack_ns"] != NEVER)
    closed_ns = facts.clocks.of_captures(capture[refused], _closed_ns(table[refused]))
    sort[refused[refused_on_path(facts, nodes[refused], nodes[opened], closed_ns)]] = REFUSED_ON_PATH


def _swap_ends(table: NDArray[np.void], at: int) -> None:
    for part in ("high", "low", "port"):
        client = table[f"client_{part}"][at]
        table[f"client_{part}"][at] = table[f"server_{part}"][at]
        table[f"server_{part}"][at] = client


def _groups(
    facts: Facts, table: NDArray[np.void], capture: Ints, sort: Ints, most: int
) -> tuple[list[Group], int]:
    """(the largest groups, at most so many; number of all). By host for refusals (a scan asks every port), by endpoint
    for the rest."""
    port = np.where(np.isin(sort, REFUSALS), 0, table["server_port"])
    key = tuple_key(table["server_low"] ^ table["server_high"], port, np.zeros(len(table), np.int64))
    chosen = np.flatnonzero(sort)
    order = chosen[lexsort((table["first_ns"][chosen], key[chosen], sort[chosen]))]
    cuts = np.flatnonzero((np.diff(key[order]) != 0) | (np.diff(sort[order]) != 0)) + 1
    every = tuple_key(
        table["server_low"] ^ table["server_high"], table["server_port"], np.zeros(len(table), np.int64)
    )
    keys, totals = np.unique(every[table["syn_ack_ns"] != NEVER], return_counts=True)
    answered = facts.waits.samples("service_time")
    parts, groups = np.split(order, cuts), []
    for part, name in _largest(table, sort, parts, most):
        row, kind = table[part[0]], int(sort[part[0]])
        server = int(row["server_high"]), int(row["server_low"]), int(row["server_port"])
        at = int(np.searchsorted(keys, every[part[0]]))
        opened = int(totals[at]) if at < len(keys) and keys[at] == every[part[0]] else 0
        refused = np.isin(every[part], keys) if kind in REFUSALS else np.zeros(len(part), np.bool_)
        accepted = int(totals[np.isin(keys, every[part[refused]])].sum())
        inputs = tuple(facts.captures[n].name for n in capture[part].tolist())
        closed = _closed_ns(table[part])
        groups.append(
            Group(
                kind,
                name,
                table[part],
                inputs,
                facts.clocks.of_captures(capture[part], closed),
                opened,
                answered.get(server, 0),
                int(refused.sum()),
                accepted,
            )
        )
    return groups, len(parts)


def _largest(table: NDArray[np.void], sort: Ints, parts: Sequence[Ints], most: int) -> list[tuple[Ints, str]]:
    """(rows, destination) of so many groups: the gravest sort first, then the largest. Names are made of those alone
    that are large enough."""
    size = [(-int(sort[part[0]]), -len(part)) for part in parts]
    least = sorted(size)[:most][-1]
    named = []
    for part, rank in zip(parts, size, strict=True):
        if rank <= least:
            row = table[part[0]]
            server = Endpoint(int(row["server_high"]), int(row["server_low"]), int(row["server_port"]))
            named.append((rank, server.host if -rank[0] in REFUSALS else str(server), part))
    named.sort(key=lambda each: each[:2])
    return [(part, name) for _, name, part in named[:most]]


def _closed_ns(rows: NDArray[np.void]) -> Ints:
    """When each connection ended, on its capture's clock."""
    closed: Ints = np.where(rows["closed_ns"] != NEVER, rows["closed_ns"], rows["last_ns"]).astype(np.int64)
    return closed


def _severity(group: Group, thresholds: Thresholds) -> Severity:
    number = len(group.rows)
    if group.sort == UNTRANSLATED:
        return "warning" if number >= thresholds.notable_untranslated else "info"
    if group.sort in REFUSALS:
        # A closed port refuses everybody; a service that refuses some and accepts others fails for its users.
        asked = group.accepted + group.refused_of_open
        often = group.refused_of_open >= thresholds.notable_ratio * asked
        return "warning" if group.refused_of_open >= thresholds.notable_resets and often else "info"
    # Asked and not answered is what hurts. One that carried nothing is a health check or a scan; one that was answered
    # may be closed by RST on purpose.
    hurt = (group.rows["client_bytes"] > 0) & (group.rows["server_bytes"] == 0)
    number = int(np.count_nonzero(hurt)) if group.sort in (BY_SERVER, BY_SERVER_OR_PATH) else number
    asked = max(group.opened, group.answered + number)
    often = number >= thresholds.notable_resets and number >= thresholds.notable_ratio * asked
    return "warning" if group.sort in (BY_SERVER, BY_SERVER_OR_PATH, ON_PATH) and often else "info"


def _case(group: Group, thresholds: Thresholds) -> ConnectionReset:
    rows = group.rows
    frames = [
        (name, int(frame))
        for name, frame in zip(
            group.inputs, np.where(rows["reset_frame"] > 0, rows["reset_frame"], 1), strict=True
        )
    ]
    return ConnectionReset(
        severity=_severity(group, thresholds),
        confidence=0.9,
        summary=f"{plural(len(rows), 'connection')} to {group.destination}: {WORDS[group.sort]}{_others(group)}.",
        count=len(rows),
        first_ns=int(group.closed_ns.min()),
        last_ns=int(group.closed_ns.max()),
        flows=(Flow("tcp", None, end_of(group.destination)),),
        evidence=tuple(frame_evidence(frames, "the RST of each connection")),
        sort=WORDS[group.sort],
        opened_total=group.opened,
        requests_answered=group.answered,
        bytes_before_median=float(np.median(rows["client_bytes"] + rows["server_bytes"])),
        age_median_s=round(float(np.median(_closed_ns(rows) - rows["first_ns"])) / 1e9, 6),
        untranslated=group.sort == UNTRANSLATED,
    )


def _others(group: Group) -> str:
    if not group.refused_of_open:
        return ""
    some = "" if group.refused_of_open == len(group.rows) else f" ({group.refused_of_open:,} of them"
    accepted = f"the same address and port accepted {group.accepted:,}"
    return f"{some} where {accepted})" if some else f", while {accepted}"


def _present(case: ConnectionReset) -> FindingPart:
    return present_case(case, f"Connections to {case.target} {case.sort}")
