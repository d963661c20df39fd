"""Conntrack marks a packet INVALID and does not translate it back: the client answers the unknown 5-tuple with a RST.

Linux marks a segment outside the window that it tracks INVALID (net/netfilter/nf_conntrack_proto_tcp.c,
tcp_in_window()) and counts it in `invalid`; NAT leaves such a packet alone, so it reaches the client with the real
server's address, and the client's kernel answers with RST. Incident: Kubernetes issue 74839."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.connection_reset import ConnectionReset
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.counted import brackets, delta_lines
from backend.forensics.diagnosis.lost_syns import REFUTES
from backend.forensics.diagnosis.measured import harmful
from backend.forensics.dumps import FilterRule
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import messages_with, settings_of
from backend.forensics.evidence.nat.untranslated import UnNatedPacket
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import (
    ClaimPart,
    EvidencePart,
    MissingPart,
    RemedyPart,
    RivalPart,
)

CAUSE = "conntrack-invalid"
TITLE = "Un-NATed packets that conntrack marked invalid"
ALTERNATIVES: Final = (
    Alternative(
        "Bridged packets that iptables does not see",
        "every connection to an endpoint of the same node fails from its first SYN-ACK on",
    ),
    Alternative(
        "A firewall that resets",
        "no untranslated packet comes before its RST",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The counter of invalid packets, and whether the window check is strict",
        command="conntrack -S; sysctl net.netfilter.nf_conntrack_tcp_be_liberal; sleep 60; conntrack -S",
    ),
)
PRIOR = -2.0
"""Seldom, and other ways to lose an entry look the same from the packets alone."""
LIVE_BELOW_S = 60.0
"""No default time-out of conntrack or IPVS for an open connection is that short: the shortest are 300 s
(nf_conntrack_tcp_timeout_max_retrans, nf_conntrack_tcp_timeout_unacknowledged) and 900 s."""
LIBERAL = "net.netfilter.nf_conntrack_tcp_be_liberal"
LOGGED = "nf_ct_proto_6"
"""How the kernel's log names an invalid TCP packet (nf_conntrack_log_invalid)."""
LOCAL_CHAINS = ("INPUT", "OUTPUT")

REFERENCES = (
    "Kubernetes issues 74839 and 117924; Kubernetes blog, 2019-03-29: Debugging an Intermittent Connection Reset",
    "Kubernetes pull requests 74840 (rule, 1.15), 120354 and 120412 (setting, 1.29), 122663 (nftables mode)",
    "Documentation/networking/nf_conntrack-sysctl.rst: nf_conntrack_tcp_be_liberal, nf_conntrack_log_invalid",
    "Linux commit 6e250dcbff1d: netfilter: conntrack: ignore overly delayed tcp packets",
)


@dataclass(frozen=True)
class _Case:
    """The un-NATed packets of one service, what the dumps say of them, and the findings about them."""

    service: str
    un_nated: tuple[UnNatedPacket, ...]
    findings: tuple[str, ...]
    counter: list[Weighed]
    log: list[Weighed]

    @property
    def live(self) -> tuple[UnNatedPacket, ...]:
        """Those whose connection went on: no time-out can have ended its entry."""
        return tuple(s for s in self.un_nated if not s.ended and s.silence_s < LIVE_BELOW_S)

    @property
    def mostly_live(self) -> bool:
        return len(self.live) * 2 > len(self.un_nated)

    @property
    def counted(self) -> bool:
        """Whether the kernel counted or logged invalid packets meanwhile."""
        return any(piece.weight > 0 for piece in (*self.counter, *self.log))


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per service with a notable finding of such resets."""
    about = {
        str(flow.destination): finding.id
        for finding in harmful(findings, ConnectionReset)
        if finding.untranslated
        for flow in finding.flows
    }
    if not about:
        return []
    services = sorted({str(s.service) for s in facts.un_nated if str(s.real) in about})
    return [_hypothesis(facts, _collect(facts, service, about)) for service in services]


def _collect(facts: Facts, service: str, about: dict[str, str]) -> _Case:
    un_nated = tuple(s for s in facts.un_nated if str(s.service) == service and str(s.real) in about)
    ids = dict.fromkeys(about[str(s.real)] for s in un_nated)
    return _Case(service, un_nated, tuple(ids), _counter(facts, un_nated), _log(facts))


def _hypothesis(facts: Facts, case: _Case) -> Hypothesis:
    real = sorted({str(s.real) for s in case.un_nated})
    whose = real[0] if len(real) == 1 else f"{real[0]} and {plural(len(real) - 1, 'more server')}"
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"Clients of {case.service} reset {plural(len(case.un_nated), 'connection')}: packets from "
            f"{whose} arrived without NAT."
        ),
        prior=PRIOR,
        steps=tuple(_steps(case)),
        weighed=(
            _seen(case),
            _life(case),
            *case.counter,
            *case.log,
            *_liberal(facts),
            *_rules(facts),
        ),
        both_sides=True,
        independent=case.counted,
        signs=int(case.mostly_live) + int(case.counted),
        findings=case.findings,
        time_lost_s=0.0,
        rivals=tuple(_rivals(facts, case)),
        missing=tuple(_missing(facts, case)),
        remedies=_REMEDIES,
        references=REFERENCES,
        refutation=(
            "it would be refuted by a counter `invalid` that stays flat while clients reset such packets"
        ),
        figures=(("connections reset", f"{len(case.un_nated):,}"), ("real servers", f"{len(real):,}")),
    )


def _frames(un_nated: Sequence[UnNatedPacket]) -> list[EvidencePart]:
    return frame_evidence(frame for s in un_nated for frame in (s.syn, *s.frames))


def _seen(case: _Case) -> Weighed:
    text = (
        f"In {plural(len(case.un_nated), 'connection')} to {case.service} the client received a packet from "
        "the real server's own address, and responded with RST"
        "."
    )
    reason = (
        "a client knows only the service address; SYN and un-NATed packet were captured at one vantage point"
    )
    return Weighed(2.0, text, _frames(case.un_nated), reason)


def _life(case: _Case) -> Weighed:
    live, total = len(case.live), len(case.un_nated)
    if case.mostly_live:
        text = (
            f"In {live:,} of {total:,} cases the connection had been used within {LIVE_BELOW_S:g} s before."
        )
        return Weighed(1.2, text, _frames(case.live), "its conntrack entry cannot have timed out")
    gone = [s for s in case.un_nated if s not in case.live]
    ended = sum(s.ended for s in gone)
    text = (
        f"In {len(gone):,} of {total:,} cases the connection had ended ({ended:,}) or had been idle for long."
    )
    return Weighed(-2.0, text, _frames(gone), "its entry may have expired: no packet need be invalid")


def _counter(facts: Facts, un_nated: Sequence[UnNatedPacket]) -> list[Weighed]:
    delta, times = facts.node.delta, [s.time_ns for s in un_nated]
    if delta is None or "invalid" not in delta.deltas:
        return []
    if not brackets(facts.node, delta, min(times), max(times)):
        return []
    rise = delta.deltas["invalid"]
    text = f"invalid +{rise:,} {delta.between_dumps}, {plural(len(un_nated), 'such reset')} in the capture."
    if not rise:
        return [Weighed(REFUTES, text, delta_lines(delta), "every packet marked invalid is counted")]
    if rise < len(un_nated):
        return [Weighed(0.8, text, delta_lines(delta), "only some were counted")]
    return [Weighed(2.0, text, delta_lines(delta), "enough packets were marked invalid for all of them")]


def _log(facts: Facts) -> list[Weighed]:
    found = messages_with(facts.node, LOGGED)
    if not found:
        return []
    text = f"The kernel logged {plural(len(found), 'invalid TCP packet')}: {found[0][0][:80]}"
    reason = "logged where the packet is marked invalid; without a timestamp the time is unknown"
    return [Weighed(1.5, text, line_evidence(line for _, line in found), reason)]


def _liberal(facts: Facts) -> list[Weighed]:
    settings = settings_of(facts.node, LIBERAL)
    if not settings:
        return []
    value, line = settings[0]
    text = f"{LIBERAL} = {value}."
    if value == "0":
        return [Weighed(0.4, text, line_evidence([line]), "segments outside the window are invalid")]
    return [Weighed(-2.0, text, line_evidence([line]), "then only RSTs outside the window are invalid")]


def _drop_rules(facts: Facts) -> list[tuple[str, FilterRule]]:
    return [
        (each.input, rule)
        for each in facts.node.dumps
        for rule in each.dump.filter_rules
        if rule.verdict.upper() == "DROP"
        and "invalid" in rule.text.lower()
        and rule.chain.upper() not in LOCAL_CHAINS
    ]


def _rules(facts: Facts) -> list[Weighed]:
    found = _drop_rules(facts)
    if not found:
        return []
    text = f"A rule drops forwarded packets that are invalid: {found[0][1].text[:90]}"
    reason = "it would have kept the packet from the client, unless the packet takes another path"
    return [Weighed(-1.5, text, line_evidence((name, rule.line) for name, rule in found), reason)]


def _steps(case: _Case) -> list[ClaimPart]:
    one = case.live[0] if case.live else case.un_nated[0]
    packet, reset = frame_evidence(one.frames[:1]), frame_evidence(one.frames[1:])
    steps = [
        ClaimPart(
            role="step",
            text=f"{one.client} opens a connection to {one.service}; NAT sends it to {one.real}.",
            evidence=frame_evidence([one.syn]),
        ),
        ClaimPart(role="step", text=f"A packet arrives from {one.real} without NAT.", evidence=packet),
    ]
    if reset:
        steps.append(
            ClaimPart(role="step", text=f"{one.client} sends a RST to the unknown 5-tuple.", evidence=reset)
        )
    return steps


def _rivals(facts: Facts, case: _Case) -> list[RivalPart]:
    title = "The conntrack entry had timed out or was deleted"
    command = "conntrack -E -e DESTROY -p tcp -o timestamp"
    gone = RivalPart(
        cause="entry-gone",
        title=title,
        status="possible",
        because="no counter shows whether packets were marked invalid",
        command=command,
    )
    if case.mostly_live and case.counted:
        because = "the connections were in use, and the kernel counted invalid packets"
        gone = RivalPart(cause="entry-gone", title=title, status="ruled-out", because=because)
    elif case.counted:
        gone = gone.model_copy(update={"because": "the connections had ended or were idle"})
    direct = RivalPart(
        cause="direct-access",
        title="Connections bypassing the service address",
        status="ruled-out",
        because=f"no SYN went there; the ports are those of connections to {case.service}",
    )
    if not facts.node.has("ipvs-services"):
        return [gone, direct]
    ipvs = RivalPart(
        cause="ipvs-entry-gone",
        title="the entry in IPVS, which does the NAT here, had expired",
        status="cannot-tell",
        because="the dumps do not cover the time of each reset",
        command="ipvsadm -Lnc; ipvsadm -L --timeout",
    )
    return [gone, direct, ipvs]


def _missing(facts: Facts, case: _Case) -> list[MissingPart]:
    missing = []
    if not case.counter:
        what = "Whether the counter `invalid` rises with the resets"
        missing.append(MissingPart(what=what, command="conntrack -S; sleep 60; conntrack -S"))
    if not settings_of(facts.node, LIBERAL):
        what = "Whether segments outside the window are accepted"
        missing.append(MissingPart(what=what, command=f"sysctl {LIBERAL}"))
    if not _drop_rules(facts):
        what = "Whether a rule drops invalid packets"
        command = "iptables-save -t filter; nft list ruleset"
        missing.append(MissingPart(what=what, command=command))
    if not case.log:
        log = "sysctl -w net.netfilter.nf_conntrack_log_invalid"
        command = f"{log}=6; sleep 60; dmesg | grep {LOGGED}; {log}=0"
        missing.append(MissingPart(what="Why the kernel marks them invalid", command=command))
    return missing


_PROOF = "no client resets a packet from a real server; conntrack -S: invalid stops rising"
_DROP = "FORWARD -m conntrack --ctstate INVALID -j DROP"
_REMEDIES = (
    RemedyPart(
        what="Accept segments outside the window, so that they are translated",
        command=f"sysctl -w {LIBERAL}=1",
        applies_to="the node that does the NAT",
        check=f"sysctl {LIBERAL}",
        proof=_PROOF,
        undo=f"sysctl -w {LIBERAL}=0",
        side_effect="conntrack no longer checks sequence numbers, except of RSTs; lost at reboot: keep it in sysctl.d",
    ),
    RemedyPart(
        what="Let kube-proxy set it",
        command="kubectl -n kube-system edit configmap kube-proxy   # conntrack.tcpBeLiberal: true",
        applies_to="kube-proxy; then restart it",
        check=f"sysctl {LIBERAL}",
        proof=_PROOF,
        undo="conntrack.tcpBeLiberal: false, then restart kube-proxy",
        side_effect="kube-proxy then leaves out its rule that drops invalid packets",
        versions="Kubernetes ≥ 1.29",
    ),
    RemedyPart(
        what="Drop invalid packets before they reach a client: the server retransmits them",
        command=f"iptables -I {_DROP}",
        applies_to="the node that does the NAT",
        check="iptables-save -t filter | grep INVALID",
        proof=_PROOF,
        undo=f"iptables -D {_DROP}",
        side_effect="breaks asymmetric routing, where a node sees one direction only (Kubernetes issue 94861)",
        versions="kube-proxy in iptables mode has the rule from Kubernetes 1.15; its nftables mode has none",
    ),
    RemedyPart(
        what="Boot a kernel that does not mark delayed segments invalid",
        command="uname -r",
        applies_to="the node that does the NAT",
        check="uname -r",
        proof=_PROOF,
        undo="Boot the previous kernel",
        side_effect="requires a reboot",
        versions="Linux ≥ 6.1 (commit 6e250dcbff1d)",
    ),
)
