"""kube-proxy takes long to write its rules: services and endpoints change seconds later than in the Kubernetes API.

pkg/proxy/iptables/proxier.go, syncProxyRules(): one iptables-restore for all changes, under the xtables lock
(/run/xtables.lock), repeated after --iptables-sync-period when it fails. It logs "SyncProxyRules complete" with the
time that it took. Until then new endpoints get no connection and removed ones still do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.kernel_signs import Line
from backend.forensics.findings import line_evidence, plural, seconds_text
from backend.forensics.report import MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import times_text

CAUSE = "rule-sync-delay"
TITLE = "kube-proxy writes its rules late"
ALTERNATIVES: Final = (
    Alternative(
        "One of several backends does not respond", "it stays so; late rules end by themselves after the sync"
    ),
)
COLLECT: Final = (
    MissingPart(
        what="How long each sync takes",
        command="curl -s http://127.0.0.1:10249/metrics | grep sync_proxy_rules",
    ),
)
SLOW_S: Final = 5.0
"""Of one sync. The interval between syncs is 1 s by default (iptables.minSyncPeriod)."""
VERY_SLOW_S: Final = 10.0
LINES_MOST: Final = 50
_ELAPSED = re.compile(
    r"[sS]yncProxyRules (?:complete|took)\b.{0,60}?(?:elapsed=\"?)?"
    r"(?P<time>(?:\d{1,6}h)?(?:\d{1,6}m(?!s))?[\d.]{1,20}(?:ms|[µu]s|s))\b"
)
_DURATION = re.compile(r"([\d.]+)(h|ms|m|µs|us|s)")
_SECONDS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6}
_LOCK: Final = "holding the xtables lock"
_FAILED = re.compile(r"[Ff]ailed to execute ip6?tables-restore")
_SUM: Final = "kubeproxy_sync_proxy_rules_duration_seconds_sum"
_COUNT: Final = "kubeproxy_sync_proxy_rules_duration_seconds_count"
_SYNCS_LEAST: Final = 3

REFERENCES = (
    "kubernetes pkg/proxy/iptables/proxier.go: syncProxyRules(); pkg/proxy/metrics/metrics.go",
    "kubernetes.io, Virtual IPs and Service Proxies: optimizing iptables mode performance",
    "iptables(8): --wait, the xtables lock",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by endpoints that get connections as soon as they are ready",
    rivals=(
        RivalPart(
            cause="endpoint-gone",
            title="Connections to removed endpoints",
            status="cannot-tell",
            because="the same happens for a second or two where a pod ends before its removal reached kube-proxy",
            command="kubectl get endpointslices -A -w --output-watch-events -o json",
        ),
    ),
    remedies=(
        RemedyPart(
            what="Use a kube-proxy that writes only what changed, or its nftables mode",
            applies_to="kube-proxy in iptables mode with thousands of services or endpoints",
            check="kubectl -n kube-system get configmap kube-proxy -o yaml | grep -E 'mode|minSyncPeriod'",
            proof="SyncProxyRules complete shows less than a second",
            undo="Restore the previous version and mode",
            side_effect="nftables mode lacks some of the iptables mode's defaults: read its migration notes",
            versions="partial iptables-restore: Kubernetes 1.28; nftables mode: stable in 1.33",
        ),
        RemedyPart(
            what="Find who else holds the xtables lock, and let it write less often",
            command="fuser -v /run/xtables.lock; ps -eo pid,etime,cmd | grep -E '[i]ptables'",
            applies_to="nodes whose log shows the xtables lock held by another program",
            check="kubectl -n kube-system logs -l k8s-app=kube-proxy --tail=1000 | grep 'xtables lock'",
            proof="the message does not come again",
            undo="Restore the previous interval of that program",
            side_effect="that program's rules follow later",
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per host whose kube-proxy shows a slow or a failed sync."""
    found = []
    for host in facts.listed_hosts.hosts:
        pieces = [*_logged(host), *_measured(host), *_failed(host)]
        if pieces:
            found.append(_hypothesis(host, pieces))
    return found


def _hypothesis(host: HostSigns, pieces: list[Weighed]) -> Hypothesis:
    best = max(pieces, key=lambda piece: piece.weight)
    statement = (
        f"kube-proxy{on_host(host)} writes changes of services late: {best.text[0].lower()}{best.text[1:]}"
    )
    missing = (
        MissingPart(
            what="Whether connections failed meanwhile: when an endpoint became ready and when it got its first SYN",
            command="kubectl get endpointslices -A -w -o json; "
            "tcpdump -ni any -w out.pcap 'tcp[tcpflags] & tcp-syn != 0'",
        ),
        MissingPart(
            what="How long each sync takes",
            command="curl -s http://127.0.0.1:10249/metrics | grep sync_proxy_rules",
        ),
    )
    return from_listings(_CAUSE, statement, pieces, missing=missing)


def _logged(host: HostSigns) -> Iterator[Weighed]:
    slow: list[tuple[float, Line]] = []
    for each in host.dumps:
        for message in each.dump.log_messages:
            found = _ELAPSED.search(message.text[:500])
            if found is not None and (elapsed_s := _seconds(found["time"])) >= SLOW_S:
                slow.append((elapsed_s, (each.input, message.line)))
    if slow:
        longest_s = max(elapsed_s for elapsed_s, _ in slow)
        text = (
            f"{plural(len(slow), 'sync')} of its rules took {SLOW_S:g} s or more, the longest "
            f"{seconds_text(longest_s)}."
        )
        weight = 3.6 if longest_s >= VERY_SLOW_S else 2.6
        lines = line_evidence(line for _, line in slow[:LINES_MOST])
        yield Weighed(weight, text, lines, "kube-proxy's own measurement of syncProxyRules()")


def _measured(host: HostSigns) -> Iterator[Weighed]:
    """The mean of all syncs since kube-proxy started."""
    for each in host.dumps:
        sums, counts = (
            {m.subject: (m.value, (each.input, m.line)) for m in each.dump.metrics if m.name == name}
            for name in (_SUM, _COUNT)
        )
        for subject, (total_s, line) in sums.items():
            count = counts.get(subject, (0.0, line))[0]
            if count >= _SYNCS_LEAST and total_s / count >= SLOW_S:
                text = f"{count:,.0f} syncs of its rules took {seconds_text(total_s / count)} on average."
                weight = 3.4 if total_s / count >= VERY_SLOW_S else 2.6
                yield Weighed(
                    weight, text, line_evidence([line]), "kube-proxy's own metric, since it started"
                )


def _failed(host: HostSigns) -> Iterator[Weighed]:
    held: list[Line] = []
    failed: list[Line] = []
    for each in host.dumps:
        for message in each.dump.log_messages:
            if _LOCK in message.text:
                held.append((each.input, message.line))
            elif _FAILED.search(message.text):
                failed.append((each.input, message.line))
    if held:
        text = f"{times_text(len(held)).capitalize()} another program held the xtables lock."
        yield Weighed(1.8, text, line_evidence(held[:LINES_MOST]), "no rule is written without that lock")
    if failed:
        text = f"{plural(len(failed), 'iptables-restore')} failed."
        yield Weighed(1.8, text, line_evidence(failed[:LINES_MOST]), "the changes wait for the next attempt")


def _seconds(duration: str) -> float:
    """Of Go's duration: ``1m2.5s``, ``38.8ms``."""
    return sum(float(number) * _SECONDS[unit] for number, unit in _DURATION.findall(duration))
