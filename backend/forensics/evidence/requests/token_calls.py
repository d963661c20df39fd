"""Connections to the token services of clouds, by the name in the ClientHello (SNI, RFC 6066 section 3).

A workload that has no metadata service of its own (IAM roles for service accounts, workload identity federation) gets
its credentials from a service on the Internet: a name lookup, a TCP handshake, a TLS handshake and a request, each at
least one round trip. Such a call is measured from its SYN to the service's last data. Which of them lie inside the
requests that their caller serves is known by their times, as for metadata calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from backend.forensics.addresses import address_text
from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.grouped_rows import by_value
from backend.forensics.evidence.clocks.sightings import Ints, Sightings
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.requests.exchanges import Exchanges
from backend.forensics.evidence.requests.latency_breakdown import LatencyBreakdown, capture_of
from backend.forensics.evidence.requests.metadata_pattern import UNKNOWN_LIFETIME_S, chance
from backend.forensics.evidence.requests.nesting import Intervals, covered_ns, find_containing

GLOBAL_ENDPOINT: Final = "AWS STS, global endpoint"
SERVICES: Final = (
    (GLOBAL_ENDPOINT, r"^sts\.amazonaws\.com$"),
    ("AWS STS", r"(?:^|\.)sts(?:-fips)?\.[a-z0-9-]+\.(?:vpce\.)?amazonaws\.com(?:\.cn)?$"),
    ("Google's token service", r"^(?:sts|iamcredentials|oauth2)\.(?:[a-z0-9-]+\.rep\.)?googleapis\.com$"),
    (
        "Microsoft Entra ID",
        r"^(?:[a-z0-9-]+\.)?login\.(?:microsoftonline|microsoft|partner\.microsoftonline)\.(?:com|cn|us)$",
    ),
    ("Alibaba STS", r"^sts(?:-vpc)?(?:\.[a-z0-9-]+)?\.aliyuncs\.com$"),
)
"""(what it is, pattern of its names), in lower case; the first that fits counts."""


@dataclass(frozen=True)
class TokenCalls:
    """Connections to token services, by start; times are ns on the reference clock."""

    node: Ints
    """Connection-table row, numbered over all captures."""
    caller: Ints
    """Number of the caller's address times the number of clocks, plus the clock."""
    start_ns: Ints
    """The SYN; the ClientHello where the connection is older than the capture."""
    end_ns: Ints
    """The service's last data."""
    round_trip_ns: Ints
    """From SYN to SYN-ACK at the caller's vantage point, 0 where not both were seen."""
    frame: Ints
    """Of the first segment with data, the ClientHello."""
    capture: Ints
    """Number of the capture that the frame is of."""
    place: Ints
    """Number of the vantage point that saw it."""
    service: tuple[str, ...]
    """What was called: ``AWS STS, global endpoint``."""

    def __len__(self) -> int:
        return len(self.node)

    def __getitem__(self, rows: Ints) -> TokenCalls:
        return TokenCalls(
            node=self.node[rows],
            caller=self.caller[rows],
            start_ns=self.start_ns[rows],
            end_ns=self.end_ns[rows],
            round_trip_ns=self.round_trip_ns[rows],
            frame=self.frame[rows],
            capture=self.capture[rows],
            place=self.place[rows],
            service=tuple(self.service[n] for n in rows.tolist()),
        )


@dataclass(frozen=True)
class TokenUse:
    """One caller: its calls, the requests that it served, and which lie in which."""

    address: str
    calls: TokenCalls
    served: Ints
    """Rows of the latency breakdown, by start."""
    served_start_ns: Ints
    served_end_ns: Ints
    inside: tuple[Ints, Ints]
    """Pairs (position in `served`, position in `calls`)."""
    call_ns: Ints
    """Of each served request: how long calls to token services were open in it."""
    chance_p: float
    """Probability that the calls (the first left out) meet served requests like this by chance."""

    @property
    def calls_in(self) -> Ints:
        """Of each served request: calls inside."""
        return np.bincount(self.inside[0], minlength=len(self.served)).astype(np.int64)

    @property
    def took_ns(self) -> Ints:
        """Of each call, from SYN to the last data."""
        took: Ints = self.calls.end_ns - self.calls.start_ns
        return took

    @property
    def span_s(self) -> float:
        """From the first call or served request to the last."""
        first = min(self.calls.start_ns.min(), self.served_start_ns.min(initial=self.calls.start_ns[0]))
        last = max(self.calls.end_ns.max(), self.served_end_ns.max(initial=self.calls.end_ns[0]))
        return float(last - first) / 1e9

    @property
    def calls_needed(self) -> float:
        """One to begin with, and one in each session of the shortest length that a token service gives (15 min)."""
        return 1 + self.span_s / UNKNOWN_LIFETIME_S


def find_token_uses(
    captures: Sequence[Capture],
    sightings: Sightings,
    exchanges: Exchanges,
    dissected: Callable[[], LatencyBreakdown],
) -> tuple[TokenUse, ...]:
    """One for each address that called a token service and serves somebody, by address text. Linear in messages and
    parts; requests are taken apart only where such a name was seen."""
    greeted = [(number, capture) for number, capture in enumerate(captures) if capture.messages.tls.rows]
    services = _services_by_link(greeted, sightings) if greeted else {}
    if not services:
        return ()
    breakdown = dissected()
    calls = _calls(captures, sightings, breakdown, services)
    if not len(calls):
        return ()
    groups = max(1, len(captures))
    served_by = _keys_of_requests(captures, sightings, exchanges, breakdown)
    requests = by_value(np.arange(len(breakdown)), served_by)
    table, uses = exchanges.addresses, []
    for caller, rows in by_value(np.arange(len(calls)), calls.caller).items():
        served = requests.get(caller, np.zeros(0, np.int64))
        number = caller // groups
        text = address_text(int(table.high[number]), int(table.low[number]))
        uses.append(_use(text, calls[rows], breakdown, served))
    return tuple(sorted(uses, key=lambda use: use.address))


def _services_by_link(captures: Sequence[tuple[int, Capture]], sightings: Sightings) -> dict[int, str]:
    """Number of a logical connection -> the token service of which the ClientHello has the name; `captures` with their
    numbers."""
    import pyarrow.compute as pc  # functions that most captures need none of

    services: dict[int, str] = {}
    for number, capture in captures:
        for batch in capture.messages.tls.batches(["connection", "server_name"]):
            names = pc.utf8_lower(pc.utf8_rtrim(batch.column("server_name"), "."))
            node = sightings.node_offset[number] + batch.column("connection").to_numpy().astype(np.int64)
            for service, pattern in reversed(SERVICES):
                found = pc.match_substring_regex(names, pattern).to_numpy(zero_copy_only=False)
                links = sightings.link_of_node[node[np.flatnonzero(found)]]
                services |= dict.fromkeys(links.tolist(), service)
    return services


def _calls(
    captures: Sequence[Capture], sightings: Sightings, breakdown: LatencyBreakdown, services: dict[int, str]
) -> TokenCalls:
    """The turns of data on each of these connections as one call."""
    parts = breakdown.parts
    turns = np.flatnonzero(parts.node >= 0)
    links = sightings.link_of_node[parts.node[turns]]
    turns = turns[np.isin(links, np.fromiter(services, np.int64, len(services)))]
    turns = turns[lexsort((parts.interval.start_ns[turns], parts.node[turns]))]
    node = parts.node[turns]
    first = np.flatnonzero(np.diff(node, prepend=-1))
    begins = parts.interval.start_ns[turns][first]
    ends = np.maximum.reduceat(parts.interval.end_ns[turns], first) if len(first) else begins
    node = node[first]
    syn_ns, round_trip_ns, place = _handshakes(captures, sightings, node)
    found = TokenCalls(
        node=node,
        caller=parts.interval.key[turns][first],
        start_ns=np.where(syn_ns == NEVER, begins, np.minimum(syn_ns, begins)),
        end_ns=ends,
        round_trip_ns=round_trip_ns,
        frame=parts.frame[turns][first],
        capture=parts.capture[turns][first],
        place=place,
        service=tuple(services[int(link)] for link in sightings.link_of_node[node]),
    )
    return found[lexsort((node, found.start_ns))]


def _handshakes(captures: Sequence[Capture], sightings: Sightings, node: Ints) -> tuple[Ints, Ints, Ints]:
    """(SYN, or NEVER; SYN to SYN-ACK, or 0; vantage point) of connections."""
    syn_ns, round_trip_ns = np.full(len(node), NEVER, np.int64), np.zeros(len(node), np.int64)
    place = np.zeros(len(node), np.int64)
    first_place = np.cumsum([0, *(len(capture.vantage_points) for capture in captures)])
    of = capture_of(node, sightings)
    for number, capture in enumerate(captures):
        mine = np.flatnonzero(of == number)
        rows = capture.connections[node[mine] - sightings.node_offset[number]]
        place[mine] = first_place[number] + rows["vantage"]
        seen = rows["syn_ns"] != NEVER
        begun = sightings.clocks.on_reference(number, rows["syn_ns"][seen].astype(np.int64))
        syn_ns[mine[seen]] = begun
        both = seen & (rows["syn_ack_ns"] != NEVER)
        round_trip_ns[mine[both]] = (rows["syn_ack_ns"] - rows["syn_ns"])[both]
    return syn_ns, round_trip_ns, place


def _keys_of_requests(
    captures: Sequence[Capture], sightings: Sightings, exchanges: Exchanges, breakdown: LatencyBreakdown
) -> Ints:
    """Who served each request: number of the address times the number of clocks, plus the clock."""
    groups = max(1, len(captures))
    clock = np.array(sightings.clocks.group or (0,), np.int64)
    key = np.zeros(len(breakdown), np.int64)
    clear, opaque = np.flatnonzero(~breakdown.inferred), np.flatnonzero(breakdown.inferred)
    rows, node = breakdown.exchange[clear], breakdown.node[opaque]
    key[clear] = exchanges.responder[rows] * groups + exchanges.server_clock[rows]
    key[opaque] = exchanges.addresses.server[node] * groups + clock[capture_of(node, sightings)]
    return key


def _use(address: str, calls: TokenCalls, breakdown: LatencyBreakdown, served: Ints) -> TokenUse:
    same = np.zeros(len(served), np.int64)
    outer = Intervals(same, breakdown.start_ns[served], breakdown.end_ns[served])
    inner = Intervals(np.zeros(len(calls), np.int64), calls.start_ns, calls.end_ns)
    pairs = find_containing(outer, inner)
    begin = min(calls.start_ns[0], outer.start_ns.min(initial=calls.start_ns[0]))
    end = max(calls.end_ns.max(), outer.end_ns.max(initial=calls.end_ns[0]))
    return TokenUse(
        address=address,
        calls=calls,
        served=served,
        served_start_ns=outer.start_ns,
        served_end_ns=outer.end_ns,
        inside=pairs,
        call_ns=covered_ns(outer, inner, pairs),
        chance_p=chance((outer.start_ns, outer.end_ns), calls.start_ns, (int(begin), int(end))),
    )
