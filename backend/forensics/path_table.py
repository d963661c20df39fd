"""The connection table that people read: one row per logical connection, joined over vantage points and
NAT.

Columns are computed for all connections at once; only what findings say is looked at one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.facts import Facts
from backend.forensics.packets import TCP
from backend.forensics.path_notes import notes_by_link
from backend.forensics.report import FindingPart

Bools = NDArray[np.bool_]
_TUPLE = ("client_high", "client_low", "client_port", "server_high", "server_low", "server_port")
_NOTHING = np.int64(-1)
RATIO_DIGITS = 4

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
        # Shares of its time, 0 to 1, that add up to 1; null where they are not known.
        ("application_ratio", pa.float64()),
        ("receiver_window_ratio", pa.float64()),
        ("network_ratio", pa.float64()),
        ("handshake_ratio", pa.float64()),
        ("seen_at", pa.list_(pa.string())),
        ("missing_at", pa.list_(pa.string())),
        ("sightings", pa.list_(_SIGHTING)),
        ("finding_ids", pa.list_(pa.string())),
        ("instance", pa.int32()),
        ("joined_because", pa.string()),
        # For questions to the table; nobody is shown them.
        ("client_order", pa.int32()),  # place of the address among all, as a number is compared
        ("server_order", pa.int32()),
        ("search", pa.string()),  # ``client:port server:port`` and their translations, protocol; lower case
    ]
)


@dataclass(frozen=True)
class _Groups:
    """The nodes of all captures in groups, one group a logical connection, each in path order."""

    connections: NDArray[np.void]
    """CONNECTION_DTYPE in that order."""
    node: Ints
    place: Ints
    starts: Ints
    """Where each group begins."""

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts, append=len(self.node))

    def first(self, name: str) -> NDArray[Any]:
        """A column of each group's first node: what the vantage point nearest to the client saw."""
        return self.connections[name][self.starts]

    def any(self, condition: Bools) -> Bools:
        """Whether it holds for any node of each group."""
        found: Bools = np.logical_or.reduceat(condition, self.starts)
        return found

    def reordered(self, order: Ints) -> _Groups:
        """The groups in another order."""
        sizes = self.sizes[order]
        starts = np.cumsum(sizes) - sizes
        take = np.repeat(self.starts[order] - starts, sizes) + np.arange(len(self.node))
        return _Groups(self.connections[take], self.node[take], self.place[take], starts)


def path_table(facts: Facts, findings: Sequence[FindingPart]) -> pa.Table:
    """All logical connections by start; the columns are `SCHEMA`."""
    parts = [c.connections for c in facts.captures]
    if not parts or not sum(len(p) for p in parts):
        return SCHEMA.empty_table()
    groups = _groups(facts, _on_one_clock(facts, np.concatenate(parts)))
    start_ns = np.minimum.reduceat(groups.connections["first_ns"], groups.starts)
    keys = [groups.first(name) for name in ("client_port", "client_low", "client_high")]
    order = lexsort((*keys, start_ns))
    groups = groups.reordered(order)
    links = facts.attempts.sightings.link_of_node[groups.node[groups.starts]]
    columns = _plain_columns(groups) | _endpoint_columns(groups) | _place_columns(facts, groups)
    columns |= _limit_columns(facts, links)
    columns |= _noted_columns(groups, notes_by_link(facts, findings), links)
    columns["start_ns"] = start_ns[order]
    columns["search"] = _search_text(columns)
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _on_one_clock(facts: Facts, connections: NDArray[np.void]) -> NDArray[np.void]:
    """The tables of all captures, one after the other, with begin and end on the captures' common clock."""
    start = 0
    for number, capture in enumerate(facts.captures):
        own = connections[start : start + len(capture.connections)]
        for name in ("first_ns", "last_ns"):
            own[name] = facts.clocks.on_reference(number, own[name])
        start += len(own)
    return connections


def _groups(facts: Facts, connections: NDArray[np.void]) -> _Groups:
    attempts = facts.attempts
    offsets = np.array(attempts.sightings.node_offset)
    node = np.arange(len(connections))
    capture = np.searchsorted(offsets, node, side="right") - 1
    first_place = np.zeros(len(offsets), np.int64)
    for each in reversed(attempts.places):
        first_place[each.capture] = each.number
    place = first_place[capture] + connections["vantage"].astype(np.int64)
    by_id = np.argsort(np.argsort([p.id for p in attempts.places]))
    rank = np.array(attempts.order.rank)
    link = attempts.sightings.link_of_node
    order = lexsort((node, by_id[place], connections["first_ns"], rank[place], link))
    ordered = link[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
    return _Groups(connections[order], order, place[order], starts)


def _plain_columns(groups: _Groups) -> dict[str, Any]:
    connections = groups.connections
    packets = (connections["client_packets"] + connections["server_packets"]).astype(np.int64)
    return {
        "cid": np.arange(len(groups.starts)),
        "protocol": pa.array(["udp", "tcp"]).take(
            pa.array((groups.first("protocol") == TCP).astype(np.int8))
        ),
        "end_ns": np.maximum.reduceat(connections["last_ns"], groups.starts),
        "client_bytes": groups.first("client_bytes").astype(np.int64),
        "server_bytes": groups.first("server_bytes").astype(np.int64),
        "packets": np.add.reduceat(packets, groups.starts),
    }


def _endpoint_columns(groups: _Groups) -> dict[str, Any]:
    """Both ends as the first vantage point saw them, and as the first that saw others did."""
    connections, sizes = groups.connections, groups.sizes
    differs = np.zeros(len(connections), bool)
    for name in _TUPLE:
        differs |= connections[name] != np.repeat(groups.first(name), sizes)
    positions = np.where(differs, np.arange(len(connections)), len(connections))
    moved = np.minimum.reduceat(positions, groups.starts)
    translated = moved < len(connections)
    moved = np.where(translated, moved, 0)
    code, texts = _address_book(connections)
    columns: dict[str, Any] = {}
    for end in ("client", "server"):
        here, port = code[end][groups.starts], connections[f"{end}_port"].astype(np.int32)
        columns[end], columns[f"{end}_port"] = texts.take(here), port[groups.starts]
        columns[f"{end}_order"] = here.astype(np.int32)
        columns[f"nat_{end}"] = texts.take(pa.array(code[end][moved], mask=~translated))
        columns[f"nat_{end}_port"] = pa.array(port[moved], mask=~translated)
    because = np.where(sizes < 2, 0, 1 + translated)
    columns["joined_because"] = pa.array(_BECAUSE).take(because)
    return columns


def _limit_columns(facts: Facts, links: Ints) -> dict[str, Any]:
    """What limited each connection, null where it is not known."""
    found = facts.connection_limits
    at = np.full(int(links.max()) + 1, _NOTHING)
    at[found.link] = np.arange(len(found.link))
    row = at[links]
    return {
        f"{name}_ratio": pa.array(shares.round(RATIO_DIGITS)).take(pa.array(row, mask=row == _NOTHING))
        for name, shares in found.limits.named()
    }


_SAME = "ISN, IP ID, TSval and TCP options of the SYN are equal"
_BECAUSE = (
    "seen at one vantage point only",
    f"{_SAME}, and so is the tuple",
    f"{_SAME}; address or port are rewritten by NAT",
)


def _address_book(connections: NDArray[np.void]) -> tuple[dict[str, Ints], pa.Array]:
    """For client and server: numbers of their addresses, which grow as the addresses do; and the texts."""
    high, high_code = np.unique(
        np.concatenate([connections["client_high"], connections["server_high"]]), return_inverse=True
    )
    low, low_code = np.unique(
        np.concatenate([connections["client_low"], connections["server_low"]]), return_inverse=True
    )
    used, code = np.unique(high_code.astype(np.int64) * len(low) + low_code, return_inverse=True)
    pairs = zip(high[used // len(low)].tolist(), low[used % len(low)].tolist(), strict=True)
    texts = pa.array([address_text(*pair) for pair in pairs], pa.string())
    total = len(connections)
    return {"client": code[:total], "server": code[total:]}, texts


def _place_columns(facts: Facts, groups: _Groups) -> dict[str, Any]:
    places = facts.attempts.places
    offsets = np.array(facts.attempts.sightings.node_offset)
    ids = pa.array([p.id for p in places])
    capture = np.searchsorted(offsets, groups.node, side="right") - 1
    sightings = pa.StructArray.from_arrays(
        [
            ids.take(groups.place),
            pa.array([p.input for p in places]).take(groups.place),
            pa.array(groups.node - offsets[capture]),
        ],
        names=["vantage", "input", "connection"],
    )
    ends = [*groups.starts.tolist(), len(groups.node)]
    first = _first_at_its_place(groups)
    seen_before = np.concatenate([[0], np.cumsum(first)])
    return {
        "sightings": pa.ListArray.from_arrays(pa.array(ends, pa.int32()), sightings),
        "seen_at": pa.ListArray.from_arrays(
            pa.array(seen_before[ends], pa.int32()), ids.take(groups.place[first])
        ),
    }


def _first_at_its_place(groups: _Groups) -> Bools:
    """False for a node whose group has an earlier one at the same vantage point."""
    group = np.repeat(np.arange(len(groups.starts)), groups.sizes)
    order = lexsort((np.arange(len(group)), groups.place, group))
    repeated = (np.diff(group[order], prepend=_NOTHING) == 0) & (
        np.diff(groups.place[order], prepend=_NOTHING) == 0
    )
    first = np.ones(len(group), bool)
    first[order] = ~repeated
    return first


def _noted_columns(groups: _Groups, notes: dict[int, dict[str, Any]], links: Ints) -> dict[str, Any]:
    """What the retries and the findings change in the plain table."""
    noted = np.flatnonzero(np.isin(links, np.fromiter(notes, np.int64, len(notes)))).tolist()
    notes_of = {row: notes[int(links[row])] for row in noted}
    syn_seen = groups.first("syn_ns") != NEVER
    answered = syn_seen & (groups.first("syn_ack_ns") != NEVER)
    connect_s = (groups.first("syn_ack_ns") - groups.first("syn_ns")) / 1e9
    tries = syn_seen.astype(np.int32)
    outcome = _outcome(groups, syn_seen)
    instance = np.full(len(links), _NOTHING)
    for row, note in notes_of.items():
        if note["connect_s"]:
            connect_s[row], answered[row] = note["connect_s"], True
        tries[row] = note["tries"]
        outcome[row] = note["outcome"] or outcome[row]
        instance[row] = _NOTHING if note.get("instance") is None else note["instance"]
    return {
        "connect_ms": pa.array(connect_s * 1000, mask=~answered),
        "tries": tries,
        "outcome": pa.array(outcome.tolist(), pa.string()),
        "instance": pa.array(instance.astype(np.int32), mask=instance == _NOTHING),
        "retry_gaps_s": _lists(len(links), notes_of, lambda note: note["gaps"], pa.float64()),
        "missing_at": _lists(len(links), notes_of, lambda note: dict.fromkeys(note["missing"]), pa.string()),
        "finding_ids": _lists(len(links), notes_of, lambda note: note["ids"], pa.string()),
    }


def _lists(
    total: int,
    notes_of: dict[int, dict[str, Any]],
    of: Callable[[dict[str, Any]], Iterable[Any]],
    kind: pa.DataType,
) -> pa.Array:
    """A list a row, empty where nothing is stated."""
    sizes = np.zeros(total, np.int32)
    values: list[Any] = []
    for row, note in notes_of.items():
        own = list(of(note))
        sizes[row] = len(own)
        values += own
    offsets = np.concatenate([np.zeros(1, np.int32), np.cumsum(sizes, dtype=np.int32)])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values, kind))


def _outcome(groups: _Groups, syn_seen: Bools) -> NDArray[np.object_]:
    rows = groups.connections
    established = groups.any(rows["established_ns"] != NEVER)
    cannot_tell = ~syn_seen | groups.any(rows["protocol"] != TCP)
    answered = groups.any(rows["syn_ack_ns"] != NEVER)
    talked = groups.any(rows["client_bytes"] > 0)
    refused = groups.any((rows["resets"] & 2) != 0)
    return np.select(
        [established, cannot_tell, answered & talked, answered, refused],
        np.array(["established", "partial", "established", "partial", "refused"], object)[:, None],
        np.array("unanswered", object),
    )


def _search_text(columns: dict[str, Any]) -> pa.Array:
    import pyarrow.compute as pc  # functions that most captures need none of

    ends = []
    for name in ("client", "server", "nat_client", "nat_server"):
        port = pc.cast(pa.array(columns[f"{name}_port"]), pa.string())
        ends.append(pc.binary_join_element_wise(columns[name], port, ":"))
    text = pc.binary_join_element_wise(*ends, columns["protocol"], " ", null_handling="skip")
    return pc.ascii_lower(text)
