"""The connection-tracking table is full: the kernel drops the first packet of every new connection.

net/netfilter/nf_conntrack_core.c, __nf_conntrack_alloc(): above nf_conntrack_max, when no entry can be dropped early,
the packet is dropped ("nf_conntrack: table full, dropping packet") and counted in `drop`; entries that had to go before
their time are counted in `early_drop`. Connections that are in the table already are not affected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.diagnosis.loss_rivals import CONNTRACK_COMMAND, CONNTRACK_FAR_BELOW, list_rivals
from backend.forensics.diagnosis.lost_syns import (
    FILTER_RULES,
    REFUTES,
    about,
    lossy,
    of_kind,
    one_instance,
)
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.counters import KernelFacts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.kernel_signs import conntrack_fill, messages_with
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.findings import frame_evidence, line_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, EvidencePart, RemedyPart
from backend.forensics.wording import percent

CAUSE = "conntrack-full"
TITLE = "Conntrack table full"
ALTERNATIVES: Final = (
    Alternative(
        "SNAT port exhaustion",
        "insert_failed rises for one address, and the number of entries is far below its limit",
    ),
    Alternative(
        "Accept queue overflow", "the SYN reaches the server; a full table drops it at the node before"
    ),
)
PRIOR = -2.5
"""Seldom, and never without a trace: the kernel logs it and counts it."""
FULL_FROM = 0.98
"""The kernel refuses at the limit; a dump is taken a moment before or after (share of nf_conntrack_max)."""
AT_THE_LIMIT = "at the limit the next new connection is refused"
MANY_DESTINATIONS = 3
"""A full table asks nobody where a packet goes (destinations that lose SYNs inside the node)."""

REFERENCES = (
    "net/netfilter/nf_conntrack_core.c: __nf_conntrack_alloc()",
    "Documentation/networking/nf_conntrack-sysctl.rst: nf_conntrack_max, nf_conntrack_buckets",
)


@dataclass(frozen=True)
class _Case:
    """What the captures and the dumps say together."""

    hit: tuple[Destination, ...]
    counters: list[Weighed]
    fill: list[Weighed]
    log: list[Weighed]

    @property
    def links(self) -> tuple[int, ...]:
        return tuple(sorted({link for d in self.hit for link in d.links}))


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis for the node, without captures one for each host; none without lost SYNs that may have died inside
    it, nor without any sign."""
    if not facts.has_packets:
        return [h for host in facts.listed_hosts.hosts for h in _listed(host)]
    hit = tuple(d for d in facts.destinations if d.losses.is_kind("inside", "one-sided").any())
    case = _Case(hit, _counters(facts.node), _fill(facts.node), _log(facts.node))
    signs = [p for p in (*case.counters, *case.fill, *case.log) if p.weight > 0]
    unknown = not case.counters and not case.fill
    suspected = signs or (unknown and len(_servers(_inside(hit))) >= MANY_DESTINATIONS)
    return [_hypothesis(facts, findings, case)] if hit and suspected else []


def _listed(host: HostSigns) -> list[Hypothesis]:
    """What the listings of one host say by themselves."""
    kernel = host.kernel
    log, fill, counters = _log(kernel), _fill(kernel), _counters(kernel)
    if not log and not any(piece.reason == AT_THE_LIMIT for piece in fill):
        return []
    statement = (
        f"The conntrack table{on_host(host)} was full: the kernel drops the first packet of new connections."
    )
    if not log:
        statement = (
            f"The conntrack table{on_host(host)} was at its limit: the next new connection is dropped."
        )
    return [from_listings(_LISTED, statement, [*log, *fill, *counters], missing=(_SIZES,))]


def _inside(hit: Sequence[Destination]) -> list[Destination]:
    return [d for d in hit if d.kinds.get("inside", 0)]


def _servers(hit: Sequence[Destination]) -> set[str]:
    """As clients name them: the real servers behind one address are one destination."""
    return set().union(*(d.servers for d in hit))


def _hypothesis(facts: Facts, findings: Sequence[Case], case: _Case) -> Hypothesis:
    worst = max(case.hit, key=lambda d: facts.delays.lost_by(d.links))
    pieces = [*_place(case), *_spread(case), *case.fill, *case.log, *case.counters, *lossy(facts, worst)]
    kernel = [p for p in (*case.fill, *case.log, *case.counters) if p.weight > 0]
    lost_s = facts.delays.lost_by(case.links)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(case, shown=len(kernel) > 1 and bool(_inside(case.hit))),
        prior=PRIOR,
        steps=(*one_instance(worst), *_kernel_steps(kernel)),
        weighed=tuple(pieces),
        both_sides=bool(_inside(case.hit)),
        independent=bool(kernel),
        signs=len(kernel),
        findings=tuple(dict.fromkeys([*_repeated(findings, case), *_pressure(findings, kernel)])),
        time_lost_s=lost_s,
        rivals=() if case.log else list_rivals(facts, worst, "node-drop", "snat-port-race", "path-loss"),
        missing=(_SIZES, FILTER_RULES),
        remedies=_REMEDIES,
        references=REFERENCES,
        refutation=_REFUTATION,
        figures=((TIME_LOST, seconds_text(lost_s)), ("destinations", str(len(_servers(case.hit))))),
        attempts=case.links,
    )


def _statement(case: _Case, *, shown: bool) -> str:
    """`shown`: the SYNs were lost inside the node, and its kernel shows the full table in more than one way."""
    connections = plural(len(case.links), "new connection")
    destinations = plural(len(_servers(case.hit)), "destination")
    if shown:
        return f"A full conntrack table on the node dropped the SYNs of {connections} to {destinations}."
    return f"{connections} to {destinations} had SYN retransmissions: this fits a full conntrack table on the node."


def _repeated(findings: Sequence[Case], case: _Case) -> list[str]:
    return [name for d in case.hit for name in about(findings, d)]


def _pressure(findings: Sequence[Case], kernel: Sequence[Weighed]) -> list[str]:
    """Findings on the table itself, where they are what this rests on."""
    cited = {(e.input, line) for piece in kernel for e in piece.evidence for line in e.lines}
    return [
        f.id
        for f in findings
        if f.kind == "conntrack-pressure"
        and cited & {(e.input, line) for e in f.evidence for line in e.lines}
    ]


def _kernel_steps(kernel: Sequence[Weighed]) -> list[ClaimPart]:
    return [ClaimPart(role="step", text=p.text, evidence=list(p.evidence)) for p in kernel[:1]]


def _frames(case: _Case) -> list[EvidencePart]:
    return frame_evidence(frame for d in case.hit for frame in d.frames())


def _place(case: _Case) -> list[Weighed]:
    inside = [loss for d in case.hit for loss in of_kind(d, "inside")]
    total = sum(len(d.losses) for d in case.hit)
    pieces = []
    if inside:
        text = f"{len(inside):,} of {total:,} lost SYNs were lost inside the node: {inside[0].where}."
        frames = frame_evidence(
            (s.place.input, s.frame) for loss in inside for s in loss.transmission.sightings
        )
        pieces.append(
            Weighed(0.8 * len(inside) / total, text, frames, "a full table drops before the packet leaves")
        )
    return pieces


def _spread(case: _Case) -> list[Weighed]:
    number = len(_servers(case.hit))
    if number >= MANY_DESTINATIONS:
        text = f"{number} destinations lost SYNs in this capture."
        return [Weighed(0.7, text, _frames(case), "a full table refuses all new connections")]
    spared = sum(d.opened for d in case.hit) + max(d.heard_others for d in case.hit)
    lost = len(case.links)
    if spared > 20 * lost:
        text = f"{spared:,} other attempts were answered in the same capture, against {lost:,} delayed ones."
        return [Weighed(-1.0, text, _frames(case), "a full table affects every destination")]
    return []


def _fill(kernel: KernelFacts) -> list[Weighed]:
    fill = conntrack_fill(kernel)
    if fill is None:
        return []
    text = f"{fill.count:,} of {fill.limit:,} entries in use ({percent(fill.ratio)})."
    if fill.ratio >= FULL_FROM:
        return [
            Weighed(
                2.2,
                text,
                line_evidence(fill.lines),
                AT_THE_LIMIT,
            )
        ]
    if fill.ratio < CONNTRACK_FAR_BELOW:
        return [Weighed(REFUTES, text, line_evidence(fill.lines), "there is room for every new connection")]
    return [Weighed(0.5, text, line_evidence(fill.lines), "near the limit: a burst can reach it")]


def _log(kernel: KernelFacts) -> list[Weighed]:
    found = messages_with(kernel, "nf_conntrack", "table full")
    if not found:
        return []
    text = f"The kernel logged {plural(len(found), 'time')}: {found[0][0][:80]}"
    reason = "logged by the code that drops the packet; without a timestamp the time is unknown"
    return [Weighed(3.2, text, line_evidence(line for _, line in found), reason)]


def _counters(kernel: KernelFacts) -> list[Weighed]:
    delta = kernel.delta
    if delta is None or "drop" not in delta.deltas:
        return []
    lines = [(delta.before, n) for n in delta.before_lines] + [(delta.after, n) for n in delta.after_lines]
    drop, early = delta.deltas["drop"], delta.deltas.get("early_drop", 0)
    clashes = delta.deltas.get("insert_failed", 0)
    text = f"drop +{drop:,}, early_drop +{early:,}, insert_failed +{clashes:,} {delta.between_dumps}."
    if not drop and not early:
        return [
            Weighed(
                REFUTES, text, line_evidence(lines), "every packet refused for lack of an entry is counted"
            )
        ]
    if early or drop > 2 * clashes:
        return [
            Weighed(
                1.5,
                text,
                line_evidence(lines),
                "the table ran out of entries; failed insertions do not explain it",
            )
        ]
    # The drops are those of failed insertions: somebody else's business.
    return []


_SIZES = ListingRequest(
    what="The fill level of the table, and the kernel log", command=CONNTRACK_COMMAND, at="node"
)
_PROOF = (
    "conntrack -S: drop and early_drop stop rising; nf_conntrack_count stays below 90 % of nf_conntrack_max"
)
_REMEDIES = (
    RemedyPart(
        what="Raise the limit, and the hash size with it: a quarter of the limit keeps chains short",
        command="sysctl -w net.netfilter.nf_conntrack_max=1048576 net.netfilter.nf_conntrack_buckets=262144",
        applies_to="the node",
        check="sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max",
        proof=_PROOF,
        undo="Restore the previous two values",
        side_effect="each entry takes some 300 bytes of kernel memory: a million take about 300 MB",
        versions="nf_conntrack_buckets can be written in the first network namespace only",
    ),
    RemedyPart(
        what="Set it through kube-proxy, which overwrites the sysctl at its start",
        command="kubectl -n kube-system edit configmap kube-proxy   # conntrack.maxPerCore, conntrack.min",
        applies_to="kube-proxy",
        check="kubectl -n kube-system get configmap kube-proxy -o yaml | grep -A4 conntrack",
        proof=_PROOF,
        undo="Restore the previous values, then restart kube-proxy",
        side_effect="kube-proxy must restart",
        versions=None,
    ),
    RemedyPart(
        what="Find what fills the table, and shorten the timeouts of lingering entries",
        command="conntrack -L -p tcp --state TIME_WAIT | wc -l; conntrack -L -p udp | wc -l",
        applies_to="the node",
        check="conntrack -L | awk '{print $1, $4}' | sort | uniq -c | sort -rn | head",
        proof=_PROOF,
        undo="Not needed: read-only",
        side_effect="listing a large table uses a CPU for seconds",
        versions=None,
    ),
)
_REFUTATION = "it would be refuted by a count far below nf_conntrack_max or by flat drop counters"
_LISTED = ListedCause(CAUSE, TITLE, PRIOR, REFERENCES, _REFUTATION, _REMEDIES)
