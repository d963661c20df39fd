"""A device on the path removed the state of an idle connection: NAT, a load balancer, a stateful firewall.

Neither end is notified: the next request is answered by a RST (from the device, or from the server that now gets it)
or not at all. The device's timeout lies between the longest idle time that a connection survived and the shortest
that was fatal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.cases.idle_timeout import IdleTimeout
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.given_listings import ServerCaptureRequest
from backend.forensics.diagnosis.measured import frames_of, harmful
from backend.forensics.diagnosis.segment_cases import FATES_MOST, fate_frames, where
from backend.forensics.dumps import FilterRule
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.drop_rules import list_rules
from backend.forensics.evidence.kernel.kernel_signs import Line, settings_of
from backend.forensics.findings import line_evidence, plural, seconds_text
from backend.forensics.private_words import of_rule
from backend.forensics.report import ClaimPart, MissingPart, RemedyPart, RivalPart
from backend.forensics.signals import SENT_AGAIN

CAUSE = "idle-timeout"
TITLE = "Idle timeout on the path"
ALTERNATIVES: Final = (
    Alternative(
        "Server closes idle connections",
        "the FIN of the server is seen, after the same idle time in each connection",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The timeouts of the nodes' conntrack and IPVS",
        command="sysctl net.netfilter | grep timeout_established; ipvsadm -L --timeout",
    ),
)
PRIOR = -1.4
ESTABLISHED = "net.netfilter.nf_conntrack_tcp_timeout_established"
NEAR_RATIO = 2.0
"""What killed is near what was survived, or a known value, when it is at most so many times as long."""
_INVALID = re.compile(r"(?:--ctstate|--state|ct state) \S*\binvalid\b", re.IGNORECASE)

REFERENCES = (
    "AWS: Network Load Balancer, TCP idle timeout 350 s (60 to 6,000 s can be set); NAT gateway 350 s",
    "Azure: Load Balancer and NAT gateway, TCP idle timeout 4 minutes by default",
    "Google Cloud: idle connections are tracked for 10 minutes; Cloud NAT, established 1,200 s",
    "Linux Documentation/networking/nf_conntrack-sysctl.rst: nf_conntrack_tcp_timeout_established 432,000 s",
    "RFC 5382 REQ-5: a NAT shall keep an idle established connection for 2 hours 4 minutes at least",
    "RFC 9293 section 3.8.4: keep-alives",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per server whose idle connections were gone."""
    return [_hypothesis(facts, finding) for finding in harmful(findings, IdleTimeout)]


def _hypothesis(facts: Facts, finding: IdleTimeout) -> Hypothesis:
    server, died_s = finding.target, finding.silence_min_s
    configured = [*_configured(facts, finding), *_refused(facts, finding)]
    survived, placed = finding.survived_max_s > 0, _placed(facts, finding)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"{plural(finding.count, 'connection')} to {server} were dropped from a state table on the "
            f"path after {seconds_text(died_s)} or more idle."
        ),
        prior=PRIOR,
        steps=(ClaimPart(role="step", text=finding.summary, evidence=list(finding.evidence)),),
        weighed=(_gone(finding), *_survived(finding), *_known(finding), *placed, *configured),
        both_sides=survived or bool(placed),
        independent=bool(configured),
        signs=int(survived) + len(configured) + len(placed),
        findings=(finding.id,),
        time_lost_s=finding.time_lost_s,
        explains=frames_of(finding),
        rivals=(_restart(finding), _FIREWALL),
        missing=_missing(server),
        remedies=_remedies(died_s),
        references=REFERENCES,
        refutation="it would be refuted by a connection that survives a longer idle time",
        figures=(
            (TIME_LOST, seconds_text(finding.time_lost_s)),
            ("shortest fatal idle time", seconds_text(died_s)),
            ("connections", f"{finding.count:,}"),
        ),
    )


def _gone(finding: IdleTimeout) -> Weighed:
    resets, silent = finding.reset, finding.unanswered
    text = f"After the idle time {resets:,} connections got a RST and {silent:,} no response; neither side had closed."
    return Weighed(1.2, text, list(finding.evidence), "a middlebox removed their state, or one end restarted")


def _survived(finding: IdleTimeout) -> list[Weighed]:
    survived_s, died_s = finding.survived_max_s, finding.silence_min_s
    if not survived_s:
        return []
    text = f"Idle times of up to {seconds_text(survived_s)} were survived, of {seconds_text(died_s)} and more never."
    near = died_s <= NEAR_RATIO * survived_s
    reason = "the idle time decides: a timeout"
    return [Weighed(1.2 if near else 0.6, text, list(finding.evidence), reason)]


def _known(finding: IdleTimeout) -> list[Weighed]:
    fits_s = finding.fitting_timeout_s
    if fits_s is None:
        return []
    text = f"A timeout of {fits_s:,.0f} s fits: {finding.fitting_timeout_of}."
    narrow = finding.silence_min_s <= NEAR_RATIO * fits_s
    return [Weighed(0.6 if narrow else 0.2, text, list(finding.evidence), "the default of such devices")]


def _configured(facts: Facts, finding: IdleTimeout) -> list[Weighed]:
    """The time-out of a dump that lies between what was survived and what was not."""
    survived_s, died_s = finding.survived_max_s, finding.silence_min_s
    found: list[tuple[str, float, Line]] = [
        (ESTABLISHED, float(value), line)
        for value, line in settings_of(facts.node, ESTABLISHED)
        if value.isascii() and value.isdigit()
    ]
    for each in facts.node.dumps:
        timeouts = each.dump.ipvs_timeouts
        if timeouts is not None:
            found.append(("ipvsadm --timeout, tcp", float(timeouts.tcp_s), (each.input, timeouts.line)))
    reason = "the setting of a device on the path matches the fatal idle time"
    pieces = [
        Weighed(2.0, f"{name} is {seconds:,.0f} s, and that fits.", line_evidence([line]), reason)
        for name, seconds, line in found
        if survived_s < seconds <= died_s <= NEAR_RATIO * seconds
    ]
    return pieces[:1]


def _refused(facts: Facts, finding: IdleTimeout) -> list[Weighed]:
    """A rule of the node that drops packets of connections which tracking does not know, and counted these."""
    segments = finding.unanswered_segments
    rules = [
        r for r in list_rules(facts.node.dumps, _drops_invalid) if r.packets and r.packets * 2 >= segments
    ]
    if not segments or not rules:
        return []
    one = max(rules, key=lambda rule: rule.packets)
    text = (
        f"A rule drops packets of untracked connections: {of_rule(one.rule.text[:90])}; it counted "
        f"{plural(one.packets, 'packet')}, {plural(segments, 'segment')} after the idle time stayed unanswered."
    )
    reason = "packets of an open connection match such a rule only when its entry is gone"
    return [Weighed(2.0, text, line_evidence(one.lines), reason)]


def _drops_invalid(rule: FilterRule) -> bool:
    return _INVALID.search(rule.text) is not None


def _placed(facts: Facts, finding: IdleTimeout) -> list[Weighed]:
    """Where what came after the silence was lost."""
    anomalies, frames = facts.anomalies, {(e.input, f) for e in finding.evidence for f in e.frames or ()}
    again = np.flatnonzero((anomalies.rows["kind"] & SENT_AGAIN) != 0)
    chosen = [n for n, frame in zip(again.tolist(), anomalies.frames(again), strict=True) if frame in frames]
    fates = [facts.segment_losses.fate_of(n) for n in chosen[:FATES_MOST]]
    lost = [fate for fate in fates if fate.fate in ("in node", "lost between")]
    if len(lost) * 2 <= len(fates):
        return []
    inside = sum(fate.fate == "in node" for fate in lost)
    text = (
        f"{len(lost):,} of {plural(len(fates), 'segment')} after the idle time were lost "
        f"{'inside the node, ' if inside * 2 > len(lost) else ''}{where(lost)}."
    )
    reason = "the connection had passed there before the idle time, and the other end never received them"
    return [Weighed(1.0 if inside else 0.6, text, fate_frames(lost), reason)]


def _restart(finding: IdleTimeout) -> RivalPart:
    cause, title = "server-restart", "Server restart"
    if finding.survived_max_s > 0:
        because = "connections with shorter idle times survived"
        return RivalPart(cause=cause, title=title, status="ruled-out", because=because)
    if not finding.reset:
        because = "a host without state for a connection responds with RST, and there was none"
        return RivalPart(cause=cause, title=title, status="ruled-out", because=because)
    return RivalPart(
        cause=cause,
        title=title,
        status="possible",
        because="it resets all earlier connections, and no connection survived a shorter idle time",
        command="systemctl show NAME -p ActiveEnterTimestamp; kubectl get pods -o wide",
    )


_FIREWALL = RivalPart(
    cause="firewall-drop",
    title="Dropped by a firewall rule",
    status="ruled-out",
    because="the same connections had passed before the idle time",
)


def _missing(server: str) -> tuple[MissingPart, ...]:
    return (
        MissingPart(
            what="The timeouts of the devices on the path: conntrack and IPVS of the nodes, load balancer, NAT gateway",
            command="sysctl net.netfilter | grep timeout_established; ipvsadm -L --timeout; "
            "aws elbv2 describe-listener-attributes --listener-arn ARN",
        ),
        ServerCaptureRequest(
            what="A capture at the server at the same time: does the packet after the idle time reach it?",
            command=f"tcpdump -i any -y LINUX_SLL2 -s 96 -w server.pcap port {server.rpartition(':')[2]}",
        ),
    )


def _remedies(died_s: float) -> tuple[RemedyPart, ...]:
    seconds = max(10, min(60, int(died_s / 3)))
    every = max(5, seconds // 4)
    proof = "no connection fails after such an idle time; keep-alives are captured in it"
    return (
        RemedyPart(
            what=(
                f"Enable TCP keep-alives on idle connections, the first after {seconds} s: a third of the "
                "timeout or less"
            ),
            command=f"sysctl -w net.ipv4.tcp_keepalive_time={seconds} net.ipv4.tcp_keepalive_intvl={every}",
            applies_to="clients (Linux); the program must set SO_KEEPALIVE",
            check="sysctl net.ipv4.tcp_keepalive_time; ss -tno",
            proof=proof,
            undo="sysctl -w net.ipv4.tcp_keepalive_time=7200 net.ipv4.tcp_keepalive_intvl=75",
            side_effect="one small packet each way per idle connection and interval",
        ),
        RemedyPart(
            what=f"Set the pool to close connections after {seconds} s idle, before a device on the path drops them",
            applies_to="clients' connection pools (idle timeout)",
            check="the pool's settings",
            proof=proof,
            undo="Restore the previous setting",
            side_effect="more new connections after idle times",
        ),
    )
