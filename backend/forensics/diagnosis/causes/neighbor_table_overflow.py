"""The neighbor table (ARP, NDP) is at its limit: packets to peers that are not in it yet are dropped.

net/core/neighbour.c, neigh_alloc(): with gc_thresh3 entries (1,024 by default, over all network namespaces of the
machine) and nothing to collect, no entry is made ("neighbour: arp_cache: neighbor table overflow!"); the packet that
needed it is dropped. Peers that have an entry are not affected. `ip neigh` shows the entries of one namespace
alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.kernel_signs import Line, messages_with, settings_of
from backend.forensics.findings import line_evidence
from backend.forensics.report import MissingPart, RemedyPart
from backend.forensics.wording import times_text

CAUSE = "neighbor-table-overflow"
TITLE = "Neighbor table overflow"
ALTERNATIVES: Final = (
    Alternative(
        "Stale neighbor entry",
        "one address answers from another MAC; here the table has no room for new ones",
    ),
    Alternative("A host that is down", "its neighbor entry is FAILED, and entries of others are still made"),
)
COLLECT: Final = (
    MissingPart(
        what="The number of entries against the limit, and how often it was met",
        command="ip neigh | wc -l; sysctl net.ipv4.neigh.default.gc_thresh3; dmesg | grep 'table overflow'",
    ),
)
FAR_BELOW = 0.5
"""Of gc_thresh3: with so few entries nothing was refused at that moment, in this namespace."""
NOT_COLLECTED = frozenset(("PERMANENT", "NOARP"))
"""Entries that count against no threshold (net/core/neighbour.c: gc_entries)."""
_LIMIT = "net.ipv4.neigh.default.gc_thresh3"

REFERENCES = (
    "net/core/neighbour.c: neigh_alloc(), neigh_forced_gc()",
    "Documentation/networking/ip-sysctl.rst: neigh/default/gc_thresh1, gc_thresh2, gc_thresh3",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by a count of entries far below gc_thresh3 in all namespaces",
    remedies=(
        RemedyPart(
            what="Raise the limits: gc_thresh3 above the number of peers of all namespaces, gc_thresh2 and 1 below it",
            command="sysctl -w net.ipv4.neigh.default.gc_thresh3=16384 net.ipv4.neigh.default.gc_thresh2=8192 "
            "net.ipv4.neigh.default.gc_thresh1=4096   # net.ipv6.neigh.default.* for NDP",
            applies_to="the machine: its first network namespace; pods cannot set it",
            check="ip -s neigh | wc -l; cat /proc/net/stat/arp_cache   # column table_fulls",
            proof="no further log line; table_fulls stops rising",
            undo="sysctl -w net.ipv4.neigh.default.gc_thresh3=1024 net.ipv4.neigh.default.gc_thresh2=512 "
            "net.ipv4.neigh.default.gc_thresh1=128",
            side_effect="kernel memory: some hundred bytes for each entry",
            versions="the entries of all network namespaces count against the one limit",
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per host that logged it, or whose entries reach the limit."""
    found = []
    for host in facts.listed_hosts.hosts:
        logged, counted = _logged(host), _counted(host)
        if any(p.weight > 0 for p in (*logged, *counted)):
            found.append(_hypothesis(host, logged, counted))
    return found


def _hypothesis(host: HostSigns, logged: list[Weighed], counted: list[Weighed]) -> Hypothesis:
    full = any(p.weight > 0 for p in counted)
    statement = (
        f"The neighbor table{on_host(host)} is full: packets to peers without an entry are dropped."
        if full
        else f"The neighbor table{on_host(host)} overflowed: packets to peers without an entry were dropped."
    )
    command = (
        f"sysctl {_LIMIT}; ip neigh | wc -l; cat /proc/net/stat/arp_cache; dmesg | grep -i 'table overflow'"
    )
    missing = (
        MissingPart(
            what="The number of entries against the limit, and how often it was met", command=command
        ),
    )
    return from_listings(_CAUSE, statement, [*logged, *counted], missing=missing)


def _logged(host: HostSigns) -> list[Weighed]:
    lines = [
        line
        for word in ("neighbor", "neighbour")
        for _, line in messages_with(host.kernel, f"{word} table overflow")
    ]
    if not lines:
        return []
    text = f"The kernel logged a neighbor table overflow {times_text(len(lines))}."
    reason = "written where an entry is refused, at a limited rate; when, only a time stamp shows"
    return [Weighed(3.6, text, line_evidence(lines), reason)]


def _counted(host: HostSigns) -> list[Weighed]:
    limits = [(int(v), line) for v, line in settings_of(host.kernel, _LIMIT) if v.isascii() and v.isdigit()]
    tables = [_entries(host, number) for number in range(len(host.dumps))]
    count, lines = max(tables, key=lambda table: table[0], default=(0, []))
    if not limits or not count:
        return []
    limit, line = min(limits)
    evidence = line_evidence([line, lines[0], lines[-1]])
    text = f"{count:,} entries of one namespace against gc_thresh3 = {limit:,}."
    if count >= limit:
        return [Weighed(3.0, text, evidence, "at the limit no entry is made for a new peer")]
    if count < FAR_BELOW * limit:
        return [
            Weighed(-1.5, text, evidence, "room in this namespace now; others count against the same limit")
        ]
    return []


def _entries(host: HostSigns, number: int) -> tuple[int, list[Line]]:
    """(entries that count, their lines) of one IPv4 listing."""
    each = host.dumps[number]
    lines = [
        (each.input, n.line) for n in each.dump.neighbors if "." in n.address and n.state not in NOT_COLLECTED
    ]
    return len(lines), lines
