"""A real server of weight 0 still gets new connections, because clients reuse source ports that have an IPVS entry.

With `conn_reuse_mode=0` a SYN on a tuple with an entry goes to the server of the earlier connection, whatever that
server's weight is now (net/netfilter/ipvs/ip_vs_core.c). Incident: Kubernetes issue 81775.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.ipvs_drain import IpvsDrain
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.ipvs_remedies import REFERENCES, list_drain_remedies
from backend.forensics.diagnosis.ipvs_settings import IpvsSettings, read_settings
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.ipvs_servers import Drain
from backend.forensics.findings import frame_evidence, line_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart, RivalPart
from backend.forensics.wording import percent

CAUSE = "ipvs-drain-blocked"
TITLE = "New connections to a drained IPVS real server"
ALTERNATIVES: Final = (
    Alternative(
        "Stale IPVS destination",
        "the entry points to a server that is gone; here the server is listed with weight 0 and still answers",
    ),
    Alternative(
        "Clients that keep their connections",
        "old connections live on by themselves; here new ones reach the drained server",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The servers with their weights, the entries, and the settings that decide",
        command="ipvsadm -Ln; ipvsadm -Lnc; sysctl net.ipv4.vs; uname -r",
    ),
)
PRIOR = -2.0
"""A listing and the packets have to agree before it is believed."""
LEAST_CONNECTIONS = 3
USED_SHARE = 0.8
"""From this share of used tuples on they are the reason; chance reuse of ephemeral ports is far rarer."""
FRESH_SHARE = 0.5
STEADY_RATIO = 0.8
"""ActiveConn + InActConn that stays above this part of its first value while the weight is 0 does not drain."""
STEADY_FROM_S = 10.0


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per server of weight 0 that IPVS sent at least three new connections."""
    settings = read_settings(facts.node)
    return [
        _hypothesis(facts, findings, drain, settings)
        for drain in facts.ipvs_drains
        if drain.drained.weight == 0 and len(drain.through_service) >= LEAST_CONNECTIONS
    ]


def _hypothesis(facts: Facts, findings: Sequence[Case], drain: Drain, settings: IpvsSettings) -> Hypothesis:
    drained = drain.drained
    used, pieces = _weigh(facts, drain, settings)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="neutral",
        statement=(
            f"{drained.server} has weight 0 and still received {len(drain.through_service):,} new connections to "
            f"{drained.service}: IPVS reused the old entries of reused client ports."
        ),
        prior=PRIOR,
        steps=tuple(_steps(drain)),
        weighed=tuple(pieces),
        both_sides=True,
        independent=used and settings.reuse_mode is not None and settings.reuse_mode[0] == 0,
        signs=1 + int(used),
        findings=tuple(f.id for f in findings if isinstance(f, IpvsDrain) and f.drained == drained.server),
        time_lost_s=0.0,
        rivals=tuple(_rivals(drain, used)),
        missing=tuple(_missing(settings)),
        remedies=list_drain_remedies(drained, settings),
        references=REFERENCES,
        refutation=("it would be refuted by unused ports reaching that server, or by conn_reuse_mode = 1"),
        figures=(("connections", f"{len(drain.through_service):,}"), ("to", str(drained.server))),
    )


def _frames(drain: Drain) -> list[EvidencePart]:
    return frame_evidence((s.place.input, s.frame) for s in drain.through_service)


def _weigh(facts: Facts, drain: Drain, settings: IpvsSettings) -> tuple[bool, list[Weighed]]:
    sent = drain.through_service
    text = f"{plural(len(sent), 'connection')} to {drain.drained.server} began after ipvsadm showed weight 0."
    lines = line_evidence([drain.drained.since])
    seen = Weighed(
        2.2, text, [*_frames(drain), *lines], "no scheduler chooses a server of weight 0 for a new one"
    )
    used = sum(bool(facts.port_reuse.reused[s.row]) for s in sent) / len(sent)
    text = f"{percent(used)} of them came from a source port used for {drain.drained.service} before."
    pieces = [seen]
    if used >= USED_SHARE:
        pieces.append(Weighed(1.5, text, _frames(drain), "the old IPVS entry forwards them there"))
    elif used < FRESH_SHARE:
        reason = "an unused port has no old entry: the scheduler still chose that server"
        pieces.append(Weighed(-2.5, text, _frames(drain), reason))
    return used >= USED_SHARE, [*pieces, *_of_settings(settings), *_of_listings(drain)]


def _of_settings(settings: IpvsSettings) -> list[Weighed]:
    pieces = []
    if settings.reuse_mode is not None:
        value, line = settings.reuse_mode
        text = f"net.ipv4.vs.conn_reuse_mode = {value}."
        if value == 0:
            reason = "a SYN on a known 5-tuple keeps its real server; this is the purpose of the value"
            pieces.append(Weighed(1.0, text, line_evidence([line]), reason))
        else:
            reason = "such a SYN is rescheduled, to a server with weight"
            pieces.append(Weighed(-1.5, text, line_evidence([line]), reason))
    if settings.expire_nodest is not None and settings.expire_nodest[0] == 1:
        text = "net.ipv4.vs.expire_nodest_conn = 1."
        reason = "with it recent kernels drain a server of weight 0"
        pieces.append(Weighed(-0.5, text, line_evidence([settings.expire_nodest[1]]), reason))
    return pieces


def _of_listings(drain: Drain) -> list[Weighed]:
    held = [x for x in drain.drained.listings if x.held is not None]
    if len(held) < 2 or (held[-1].time_ns - held[0].time_ns) / 1e9 < STEADY_FROM_S or not held[0].held:
        return []
    first, last = held[0].held or 0, held[-1].held or 0
    for_s = seconds_text((held[-1].time_ns - held[0].time_ns) / 1e9)
    text = f"ActiveConn + InActConn of the server went from {first} to {last} within {for_s} of weight 0."
    evidence = line_evidence(x.line for x in held)
    if last >= STEADY_RATIO * first:
        return [Weighed(0.8, text, evidence, "a drain makes it fall; reused ports keep it up")]
    if last == 0:
        return [Weighed(-1.0, text, evidence, "the server drained")]
    return []


def _steps(drain: Drain) -> list[ClaimPart]:
    drained, sent = drain.drained, drain.through_service
    steps = [
        ClaimPart(
            role="step",
            text=f"{drained.server} has weight 0 in the ipvsadm output of {drained.service}.",
            evidence=line_evidence([drained.since]),
        )
    ]
    middle = sent[len(sent) // 2]
    after = seconds_text((middle.syn_ns - drained.since_ns) / 1e9)
    steps.append(
        ClaimPart(
            role="step",
            text=f"{after} later a new connection of {middle.client} to {drained.service} is forwarded to it.",
            evidence=frame_evidence([(middle.place.input, middle.frame)]),
        )
    )
    return steps


def _rivals(drain: Drain, used: bool) -> list[RivalPart]:
    name, title = "persistence", "The service is persistent: clients stay on their real server by design"
    if drain.drained.persistent:
        because = "ipvsadm shows a persistent service"
        command = "sysctl net.ipv4.vs.expire_quiescent_template"
        persistent = RivalPart(cause=name, title=title, status="possible", because=because, command=command)
    else:
        because = "ipvsadm shows no persistence"
        persistent = RivalPart(cause=name, title=title, status="ruled-out", because=because)
    direct = RivalPart(
        cause="direct-access",
        title="Connections bypassing the service address",
        status="ruled-out",
        because="the same SYNs were captured addressed to the service",
    )
    stale = RivalPart(
        cause="ipvs-stale-destination",
        title="Packets sent to a removed server",
        status="ruled-out" if drain.drained.removed_ns is None else "cannot-tell",
        because="the server stayed listed"
        if drain.drained.removed_ns is None
        else "it was removed later: see that diagnosis",
        command=None if drain.drained.removed_ns is None else "ipvsadm -Lnc",
    )
    return [persistent, direct, stale]


def _missing(settings: IpvsSettings) -> list[MissingPart]:
    missing = []
    if settings.reuse_mode is None:
        what = "The settings that matter: conn_reuse_mode and expire_nodest_conn"
        missing.append(MissingPart(what=what, command="sysctl net.ipv4.vs"))
    if settings.kernel is None:
        what = "The kernel: newer ones expire the entries of a server with weight 0"
        missing.append(MissingPart(what=what, command="uname -r"))
    return missing
