"""ICMP errors joined to the connections whose packets they quote (RFC 792, RFC 4443).

NAT translates the quoted header together with the outer one, so an error is joined at each vantage point by what is
quoted there: sequence number and ports of a SYN, or ports and the address that is informed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import distinct, stable_argsort
from backend.forensics.packets import ICMP, ICMPV6, TCP

HOST: Final = "host unreachable"
NETWORK: Final = "no route"
PORT: Final = "port unreachable"
PROHIBITED: Final = "administratively prohibited"
TTL: Final = "time to live exceeded"
TOO_BIG: Final = "fragmentation needed"
REASSEMBLY: Final = "fragment reassembly time exceeded"
OTHER: Final = "other"

MEANINGS: Final = (HOST, NETWORK, PORT, PROHIBITED, TTL, TOO_BIG, REASSEMBLY, OTHER)

_V4 = {0: NETWORK, 1: HOST, 3: PORT, 4: TOO_BIG, 6: NETWORK, 7: HOST, 9: PROHIBITED, 10: PROHIBITED, 11: NETWORK,
       12: HOST, 13: PROHIBITED}  # fmt: skip
"""Codes of type 3 (IANA ICMP Parameters, RFC 1122 section 3.2.2.1, RFC 1812 section 5.2.7.1)."""
_V6 = {0: NETWORK, 1: PROHIBITED, 3: HOST, 4: PORT, 5: PROHIBITED, 6: PROHIBITED}
"""Codes of type 1 (RFC 4443 section 3.1)."""


@dataclass(frozen=True)
class IcmpErrors:
    """`rows` are PACKET_DTYPE; beside them `common_ns`, their times on the reference clock, `place`,
    `meaning` (index into MEANINGS) and `link`: the logical connection that is quoted, -1 for none. `ends_attempt`: it
    quotes a SYN."""

    rows: NDArray[np.void]
    common_ns: Ints
    place: Ints
    meaning: Ints
    link: Ints
    ends_attempt: NDArray[np.bool_]

    def about(self, links: Sequence[int], *meanings: str) -> Ints:
        """Positions of the errors of these meanings that quote these connections."""
        wanted = np.isin(self.link, np.array(sorted(links), np.int64))
        return np.flatnonzero(wanted & np.isin(self.meaning, [MEANINGS.index(m) for m in meanings]))

    def sent(self, found: Ints) -> int:
        """How many errors these positions are: of each connection those at the vantage point that saw most of them."""
        pairs = np.stack([self.link[found], self.place[found]])
        (links, _), counts = np.unique(pairs, axis=1, return_counts=True)
        order = np.lexsort((-counts, links))
        first = np.append(True, np.diff(links[order]) > 0) if len(order) else np.zeros(0, np.bool_)
        return int(counts[order][first].sum())


def join_icmp_errors(captures: Sequence[Capture], attempts: Attempts) -> IcmpErrors:
    """All "unreachable" and "time exceeded" errors."""
    sightings = attempts.sightings
    protocol = sightings.rows["protocol"]
    chosen = np.flatnonzero((protocol == ICMP) | (protocol == ICMPV6))
    rows, place = sightings.rows[chosen], sightings.place[chosen]
    meaning = _meanings(rows)
    link = _quoted_syns(rows, attempts)
    ends_attempt = link >= 0
    rest = np.flatnonzero((link < 0) & (rows["destination_port"] != 0))
    if len(rest):
        link[rest] = _quoted_data(rows[rest], captures, attempts)
    return IcmpErrors(rows, sightings.time_ns[chosen], place, meaning, link, ends_attempt)


def _meanings(rows: NDArray[np.void]) -> Ints:
    """Unreachable by code; type 11 (ICMPv4) and 3 (ICMPv6) are "time exceeded"."""
    meaning = np.full(len(rows), MEANINGS.index(OTHER), np.int64)
    for protocol, unreachable, exceeded, codes in ((ICMP, 3, 11, _V4), (ICMPV6, 1, 3, _V6)):
        own = rows["protocol"] == protocol
        chosen = own & (rows["icmp_type"] == exceeded)
        meaning[chosen] = MEANINGS.index(TTL)
        meaning[chosen & (rows["icmp_code"] == 1)] = MEANINGS.index(REASSEMBLY)
        for code, name in codes.items():
            chosen = own & (rows["icmp_type"] == unreachable) & (rows["icmp_code"] == code)
            meaning[chosen] = MEANINGS.index(name)
    return meaning


def _quoted_syns(rows: NDArray[np.void], attempts: Attempts) -> Ints:
    sightings = attempts.sightings
    is_syn = np.flatnonzero(sightings.transmission >= 0)
    if not len(is_syn) or not len(rows):
        return np.full(len(rows), -1, np.int64)
    return _look_up(_syn_key(rows), _syn_key(sightings.rows[is_syn]), sightings.link[is_syn])


def _syn_key(rows: NDArray[np.void]) -> NDArray[np.uint64]:
    ports = (rows["source_port"].astype(np.uint64) << np.uint64(16)) | rows["destination_port"].astype(
        np.uint64
    )
    return (rows["sequence"].astype(np.uint64) << np.uint64(32)) | ports


def _look_up(wanted: NDArray[np.uint64], keys: NDArray[np.uint64], values: Ints) -> Ints:
    """The value of each wanted key, -1 without one."""
    order = stable_argsort(keys)
    at = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found: Ints = np.where(keys[order][at] == wanted, values[order][at], -1)
    return found


def _quoted_data(rows: NDArray[np.void], captures: Sequence[Capture], attempts: Attempts) -> Ints:
    """A packet of either side: who is informed is the sender of the quoted packet."""
    parts = [c.connections for c in captures]
    table = np.concatenate(parts) if len(parts) > 1 else parts[0]
    tcp = np.flatnonzero((table["protocol"] == TCP) & np.isin(table["server_port"], _ports(rows)))
    tcp = tcp[np.isin(table["client_port"][tcp], _ports(rows))]
    if not len(tcp):
        return np.full(len(rows), -1, np.int64)
    quoted_end = _end_key(rows, "destination_low", "source_port", "destination_port")
    link = attempts.sightings.link_of_node[tcp]
    chosen = table[tcp]
    by_client = _look_up(quoted_end, _end_key(chosen, "client_low", "client_port", "server_port"), link)
    by_server = _look_up(quoted_end, _end_key(chosen, "server_low", "server_port", "client_port"), link)
    return np.where(by_client >= 0, by_client, by_server)


def _ports(rows: NDArray[np.void]) -> NDArray[np.uint16]:
    return distinct(np.concatenate([rows["source_port"], rows["destination_port"]]))


def _end_key(rows: NDArray[np.void], address: str, own: str, other: str) -> NDArray[np.uint64]:
    """Address and ports in 64 bits; the multiplier (2^64 / golden ratio) spreads the address over them."""
    ports = (rows[own].astype(np.uint64) << np.uint64(16)) | rows[other].astype(np.uint64)
    spread: NDArray[np.uint64] = rows[address] * np.uint64(0x9E3779B97F4A7C15) ^ ports
    return spread
