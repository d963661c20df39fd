"""The connection table that people read: one row per logical connection, joined over vantage points and
NAT."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.connections import NEVER
from backend.forensics.evidence.facts import Facts
from backend.forensics.packets import TCP
from backend.forensics.report import FindingPart

_SIGHTING = pa.struct([("vantage", pa.string()), ("input", pa.string()), ("connection", pa.int64())])
SCHEMA = pa.schema(
    [
        ("cid", pa.int64()),
        ("protocol", pa.string()),
        ("client", pa.string()),
        ("client_port", pa.int32()),
        ("server", pa.string()),
        ("server_port", pa.int32()),
        ("start_ns", pa.int64()),
        ("end_ns", pa.int64()),
        ("connect_ms", pa.float64()),
        ("tries", pa.int32()),
        ("retry_gaps_s", pa.list_(pa.float64())),
        ("outcome", pa.string()),
        ("nat_client", pa.string()),
        ("nat_client_port", pa.int32()),
        ("nat_server", pa.string()),
        ("nat_server_port", pa.int32()),
        ("client_bytes", pa.int64()),
        ("server_bytes", pa.int64()),
        ("packets", pa.int64()),
        ("seen_at", pa.list_(pa.string())),
        ("missing_at", pa.list_(pa.string())),
        ("sightings", pa.list_(_SIGHTING)),
        ("finding_ids", pa.list_(pa.string())),
        ("instance", pa.int32()),
        ("joined_because", pa.string()),
    ]
)


def path_table(facts: Facts, findings: Sequence[FindingPart]) -> pa.Table:
    """All logical connections by start; the columns are `SCHEMA`."""
    sightings = facts.attempts.sightings
    parts = [c.connections for c in facts.captures]
    if not parts or not sum(len(p) for p in parts):
        return SCHEMA.empty_table()
    connections = np.concatenate(parts)
    order = np.lexsort((connections["first_ns"], sightings.link_of_node))
    link = sightings.link_of_node[order]
    starts = np.flatnonzero(np.diff(link, prepend=-1))
    groups = np.split(order, starts[1:])
    notes = _notes(facts, findings)
    rows = [
        _row(facts, connections, nodes, notes.get(int(sightings.link_of_node[nodes[0]]), {}))
        for nodes in groups
    ]
    rows.sort(key=lambda r: (r["start_ns"], r["client"], r["client_port"]))
    for cid, row in enumerate(rows):
        row["cid"] = cid
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _notes(facts: Facts, findings: Sequence[FindingPart]) -> dict[int, dict[str, Any]]:
    """By link: what the retries and the findings add to the plain table."""
    notes: dict[int, dict[str, Any]] = {}
    for attempt in facts.attempts.retried:
        times = [t.time_ns for t in attempt.transmissions]
        gaps = [(b - a) / 1e9 for a, b in pairwise(times)]
        notes[attempt.link] = {
            "tries": len(times),
            "gaps": gaps,
            "connect_s": attempt.connect_delay_s,
            "ids": [],
            "missing": [],
        }
        notes[attempt.link]["outcome"] = attempt.outcome
    for loss in facts.losses:
        if loss.inside is not None:
            notes[loss.attempt.link]["missing"].append(loss.inside[1].id)
    clients: dict[tuple[str, str], dict[str, Any]] = {}
    for attempt in facts.attempts.retried:
        clients[str(attempt.client), str(attempt.server)] = notes[attempt.link]
    for finding in findings:
        for event in finding.events:
            target = clients.get(
                (str(event.get("source")), str(event.get("destination") or _target(finding)))
            )
            if target is not None and finding.id not in target["ids"]:
                target["ids"].append(finding.id)
                target.setdefault("instance", event.get("instance"))
    return notes


def _target(finding: FindingPart) -> str:
    return str(finding.affected[0].get("destination", "")) if finding.affected else ""


def _place_of(facts: Facts, node: int) -> tuple[int, int]:
    """(capture number, connection number) of a node."""
    offsets = facts.attempts.sightings.node_offset
    capture = int(np.searchsorted(offsets, node, side="right")) - 1
    return capture, node - offsets[capture]


def _row(
    facts: Facts, connections: NDArray[np.void], nodes: NDArray[np.int64], note: dict[str, Any]
) -> dict[str, Any]:
    places = _sightings(facts, connections, nodes)
    inner = connections[places[0][2]]
    other = next((connections[p[2]] for p in places if _tuple(connections[p[2]]) != _tuple(inner)), None)
    syn_seen = inner["syn_ns"] != NEVER
    answered = syn_seen and inner["syn_ack_ns"] != NEVER
    usual_s = (int(inner["syn_ack_ns"]) - int(inner["syn_ns"])) / 1e9 if answered else None
    connect_s = note.get("connect_s") or usual_s
    client, client_port, server, server_port = _tuple(inner)
    moved = _tuple(other) if other is not None else (None, None, None, None)
    return {
        "protocol": "tcp" if inner["protocol"] == TCP else "udp",
        "client": client,
        "client_port": client_port,
        "server": server,
        "server_port": server_port,
        "start_ns": int(connections["first_ns"][nodes].min()),
        "end_ns": int(connections["last_ns"][nodes].max()),
        "connect_ms": connect_s * 1000 if connect_s is not None else None,
        "tries": note.get("tries", 1 if syn_seen else 0),
        "retry_gaps_s": note.get("gaps", []),
        "outcome": note.get("outcome") or _outcome(connections[nodes], bool(syn_seen)),
        "nat_client": moved[0],
        "nat_client_port": moved[1],
        "nat_server": moved[2],
        "nat_server_port": moved[3],
        "client_bytes": int(inner["client_bytes"]),
        "server_bytes": int(inner["server_bytes"]),
        "packets": sum(int(connections[n][nodes].sum()) for n in ("client_packets", "server_packets")),
        "seen_at": list(dict.fromkeys(p[0] for p in places)),
        "missing_at": list(dict.fromkeys(note.get("missing", []))),
        "sightings": [{"vantage": v, "input": name, "connection": n} for v, name, _, n in places],
        "finding_ids": note.get("ids", []),
        "instance": note.get("instance"),
        "joined_because": _because(len(places), other is not None),
    }


def _sightings(
    facts: Facts, connections: NDArray[np.void], nodes: NDArray[np.int64]
) -> list[tuple[str, str, int, int]]:
    """(vantage id, input, node, connection number) in path order."""
    ranked = []
    for node in nodes.tolist():
        capture, number = _place_of(facts, node)
        place = next(
            p
            for p in facts.attempts.places
            if p.capture == capture and p.index == int(connections["vantage"][node])
        )
        rank = facts.attempts.order.rank[place.number]
        ranked.append((rank, int(connections["first_ns"][node]), place.id, place.input, node, number))
    return [(vantage, name, node, number) for _, _, vantage, name, node, number in sorted(ranked)]


def _tuple(row: np.void) -> tuple[str, int, str, int]:
    client = address_text(int(row["client_high"]), int(row["client_low"]))
    server = address_text(int(row["server_high"]), int(row["server_low"]))
    return client, int(row["client_port"]), server, int(row["server_port"])


def _outcome(rows: NDArray[np.void], syn_seen: bool) -> str:
    if bool((rows["established_ns"] != NEVER).any()):
        return "established"
    if not syn_seen or bool((rows["protocol"] != TCP).any()):
        return "partial"
    if bool((rows["syn_ack_ns"] != NEVER).any()):
        return "established" if bool((rows["client_bytes"] > 0).any()) else "partial"
    return "refused" if bool((rows["resets"] & 2).any()) else "unanswered"


def _because(places_total: int, rewritten: bool) -> str:
    if places_total < 2:
        return "seen at one vantage point only"
    same = "ISN, IP ID, TSval and TCP options of the SYN are equal"
    return (
        f"{same}; address or port are rewritten on the way" if rewritten else f"{same}, and so is the tuple"
    )
