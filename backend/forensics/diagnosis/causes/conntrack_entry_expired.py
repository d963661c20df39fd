"""The conntrack entry of a half-closed connection expires while its ends still use it.

net/netfilter/nf_conntrack_proto_tcp.c: after one FIN the entry is in CLOSE_WAIT and lives 60 s
(nf_conntrack_tcp_timeout_close_wait; kube-proxy sets 1 h). What the other end sends later has no entry: it leaves
untranslated, or is INVALID, and the connection is refused or hangs (kubernetes/kubernetes#32551)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.tracked_states import Countdown, find_countdowns
from backend.forensics.findings import line_evidence, plural
from backend.forensics.report import MissingPart, RemedyPart

CAUSE = "conntrack-entry-expired"
TITLE = "Connection-tracking entry expires while half-closed"
ALTERNATIVES: Final = (
    Alternative(
        "Stale conntrack entry",
        "that entry is renewed by each retry; here it ended while one side still held the connection",
    ),
    Alternative(
        "Idle timeout on the path",
        "it ends established connections after a silence; here the connection was half closed",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The entry while it counts down, and the socket of the program",
        command="conntrack -L -p tcp | grep CLOSE_WAIT; ss -tnop state close-wait",
    ),
)
FOUND_MOST = 3
COUNTING_CEILING = 0.49
"""Until its time is up, the program may still close."""
SEVERAL = 3
"""Listings of one entry: its time falls in each."""
KERNEL_DEFAULT_S = 60
"""nf_conntrack_tcp_timeout_close_wait: longer ones were set by somebody who knew."""

REFERENCES = (
    "net/netfilter/nf_conntrack_proto_tcp.c: tcp_timeouts, TCP_CONNTRACK_CLOSE_WAIT 60 s",
    "Documentation/networking/nf_conntrack-sysctl.rst: nf_conntrack_tcp_timeout_close_wait",
    "kubernetes/kubernetes#32551, #97377",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by an entry whose time is renewed, or by an end that closed at once",
    remedies=(
        RemedyPart(
            what="Keep half-closed entries longer",
            command="sysctl -w net.netfilter.nf_conntrack_tcp_timeout_close_wait=3600",
            applies_to="the node (kube-proxy: conntrack.tcpCloseWaitTimeout)",
            check="sysctl net.netfilter.nf_conntrack_tcp_timeout_close_wait; conntrack -L -p tcp --state CLOSE_WAIT",
            proof="the entry is there when the program closes; no RST follows",
            undo="sysctl -w net.netfilter.nf_conntrack_tcp_timeout_close_wait=60",
            side_effect="entries of programs that never close fill the table",
            versions="kube-proxy sets 3600 unless configured otherwise",
        ),
        RemedyPart(
            what="Let the program close what its peer has closed",
            command=None,
            applies_to="the client program: an HTTP pool that does not notice a FIN",
            check="ss -tno state close-wait",
            proof="ss -tn state close-wait lists nothing that stays",
            undo="not needed",
            side_effect="none",
            versions=None,
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per half-closed connection whose entry counts down in several listings."""
    return [
        _hypothesis(host, one)
        for host in facts.listed_hosts.hosts
        for one in find_countdowns(host.dumps)[:FOUND_MOST]
        if one.state == "CLOSE_WAIT"
    ]


def _hypothesis(host: HostSigns, one: Countdown) -> Hypothesis:
    ends = "expired" if one.gone_after_s is not None else f"counts down from {one.first_s} to {one.last_s} s"
    statement = (
        f"The entry of a half-closed connection to {one.target}{on_host(host)} {ends}: packets after it expires are "
        "not translated as before."
    )
    command = "conntrack -E -p tcp -e DESTROY; ss -tno state close-wait; tcpdump -ni any 'tcp[tcpflags] & tcp-rst != 0'"
    missing = (MissingPart(what="Whether the program still uses the connection then", command=command),)
    found = from_listings(_CAUSE, statement, _weighed(one), missing=missing)
    return found if one.gone_after_s is not None else replace(found, ceiling=COUNTING_CEILING)


def _weighed(one: Countdown) -> list[Weighed]:
    text = (
        f"{plural(len(one.lines), 'dump')} show it in {one.state}: {one.first_s} s, at last {one.last_s} s."
    )
    reason = "one end has closed, the other has not, and no packet renews the entry"
    pieces = [Weighed(2.0 if len(one.lines) >= SEVERAL else 1.0, text, line_evidence(one.lines), reason)]
    if one.first_s <= KERNEL_DEFAULT_S:
        text = f"It lives {KERNEL_DEFAULT_S} s at most: the kernel's default."
        pieces.append(
            Weighed(0.8, text, line_evidence(one.lines[:1]), "kube-proxy sets an hour for this reason")
        )
    if one.gone_after_s is not None:
        text = f"It had {one.last_s} s left, and {one.gone_after_s:.0f} s later the table did not have it any more."
        reason = "a connection that was closed or reset stays in the table for longer"
        pieces.append(Weighed(1.5, text, line_evidence(one.lines[-1:]), reason))
    return pieces
