"""The cloud's own limit for an instance drops packets: bandwidth, packets, tracked connections, link-local services.

The ENA driver counts what the instance's allowance refused (`ethtool -S`): bw_in, bw_out and pps count packets
queued or dropped, conntrack and linklocal packets dropped. Averages hide it: an allowance is exceeded in bursts of
milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.kernel_signs import counter_rise, counter_value
from backend.forensics.findings import line_evidence
from backend.forensics.report import MissingPart, RemedyPart

CAUSE = "cloud-allowance"
TITLE = "Instance allowance exceeded"
ALTERNATIVES: Final = (
    Alternative("Packet loss on the path", "the card's allowance counters stay as they are"),
    Alternative(
        "Full receive backlog of a CPU",
        "the drops are in softnet_stat of the host, and the card's allowance counters stay",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The card's allowance counters before and after",
        command="ethtool -S eth0 | grep allowance; sleep 60; ethtool -S eth0 | grep allowance",
    ),
)
ETHTOOL: Final = "ethtool-stats"
ALLOWANCES: Final = {
    "bw_in_allowance_exceeded": "inbound bandwidth",
    "bw_out_allowance_exceeded": "outbound bandwidth",
    "pps_allowance_exceeded": "packets per second",
    "conntrack_allowance_exceeded": "tracked connections (new ones are dropped)",
    "linklocal_allowance_exceeded": "packets per second to DNS, metadata and time services",
}
"""By counter of the driver: what the instance may not exceed."""
FEW = 10
"""Fewer packets are one burst (packets)."""

REFERENCES = (
    "docs.aws.amazon.com, EC2: Monitor network performance for ENA settings on your EC2 instance",
    "amzn-drivers, kernel/linux/ena/ena_ethtool.c: *_allowance_exceeded",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by flat allowance counters while packets are lost",
    remedies=(
        RemedyPart(
            what="Use a larger instance, or spread the load over several: the allowance belongs to the instance type",
            applies_to="EC2 instances with ENA",
            check="ethtool -S eth0 | grep allowance",
            proof="the counters stay flat under the same load",
            undo="Restore the previous instance type",
            side_effect="the instance must be stopped and started",
            versions=None,
        ),
        RemedyPart(
            condition="linklocal is exceeded",
            what="Cache DNS on the node, and credentials in the SDK",
            applies_to="pods that ask the VPC resolver or the metadata service themselves",
            check="ethtool -S eth0 | grep linklocal",
            proof="linklocal_allowance_exceeded stays flat",
            undo="Remove the cache",
            side_effect="a DNS cache on the node answers within the TTL",
            versions="1,024 packets per second and network interface; more interfaces each have their own",
        ),
        RemedyPart(
            condition="conntrack is exceeded",
            what="Keep connections open, or leave the busiest traffic untracked",
            applies_to="security groups (untracked where all traffic is allowed in both directions)",
            check="ethtool -S eth0 | grep conntrack_allowance",
            proof="conntrack_allowance_exceeded stays flat; conntrack_allowance_available stays above 0",
            undo="Restore the previous rules",
            side_effect="untracked traffic needs rules for both directions",
            versions=None,
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per host of which a counter rose, or shows something."""
    found = []
    for host in facts.listed_hosts.hosts:
        pieces = [piece for name in ALLOWANCES for piece in _counted(host, name)]
        if pieces:
            found.append(_hypothesis(host, pieces))
    return found


def _hypothesis(host: HostSigns, pieces: list[Weighed]) -> Hypothesis:
    best = max(pieces, key=lambda piece: piece.weight)
    statement = f"The cloud dropped or held packets{on_host(host)}: {best.text[0].lower()}{best.text[1:]}"
    command = "ethtool -S eth0 | grep allowance; sleep 60; ethtool -S eth0 | grep allowance"
    missing = (MissingPart(what="The allowance counters before and after", command=command),)
    return from_listings(_CAUSE, statement, pieces, missing=missing)


def _counted(host: HostSigns, name: str) -> list[Weighed]:
    what = ALLOWANCES[name]
    rise = counter_rise(host.kernel, ETHTOOL, name)
    if rise is not None:
        if not rise.by:
            return []
        text = f"{name} rose by {rise.by:,}: {what}."
        weight = 3.6 if rise.by >= FEW else 1.5
        return [
            Weighed(weight, text, line_evidence(rise.lines), "the driver counts what the allowance refused")
        ]
    shown = counter_value(host.kernel, ETHTOOL, name)
    if shown is None or shown[0] < FEW:
        return []
    text = f"{name} is {shown[0]:,}: {what}."
    reason = "refused since the driver was loaded; a single dump does not show when"
    return [Weighed(1.2, text, line_evidence([shown[1]]), reason)]
