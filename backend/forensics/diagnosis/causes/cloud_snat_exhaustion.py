"""The cloud's NAT has no free source port for a destination: SYNs leave the node and stay unanswered.

A NAT gateway or load balancer translates to few public addresses, and gives each instance a share of their ports per
destination address, port and protocol, and keeps a port for some time after the close. The node sees no response, from
public addresses only, and again whenever as many connections are open or recently closed as it has ports; the cloud's
metrics count the failed allocations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.diagnosis.lost_syns import (
    about,
    figures_of,
    hurt,
    impact_of,
    loss_evidence,
    lossy,
    one_instance,
)
from backend.forensics.dumps import MetricValue
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.held_tuples import HeldTuples, find_held_tuples, is_public
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import p_text

CAUSE = "cloud-snat-exhaustion"
TITLE = "SNAT port exhaustion at the cloud's NAT"
COLLECT: Final = (
    MissingPart(
        what="Ports in use by destination when the losses begin",
        command="ss -tan | awk '{print $5}' | sort | uniq -c | sort -rn | head",
    ),
)
LINES_MOST: Final = 50
DESTINATIONS_MOST: Final = 20
"""With most lost SYNs: no network has more that reach such a limit at once."""
OPEN_CEILING: Final = 0.49
"""Where all of the tuples are open connections: a server that takes so many from one address, or so many at all, drops
SYNs at the same numbers."""
_REFUSED: Final = (
    (
        re.compile(r"^error_?port_?allocation", re.IGNORECASE),
        re.compile(""),
        "AWS NAT gateway: no source port",
    ),
    (
        re.compile(r"^snat_?connection_?count", re.IGNORECASE),
        re.compile(r"failed", re.IGNORECASE),
        "Azure: failed SNAT connections",
    ),
    (
        re.compile(r"nat_allocation_failed", re.IGNORECASE),
        re.compile(""),
        "Cloud NAT: allocation of ports failed",
    ),
    (
        re.compile(r"dropped_sent_packets", re.IGNORECASE),
        re.compile(r"out_of_resources", re.IGNORECASE),
        "Cloud NAT: no port for sent packets",
    ),
)
"""Name of a metric, its dimensions, and what it counts when it is above 0."""

REFERENCES = (
    "docs.aws.amazon.com, Amazon VPC: Monitor NAT gateways with Amazon CloudWatch, ErrorPortAllocation",
    "learn.microsoft.com, Azure Monitor: Microsoft.Network/natGateways, SNATConnectionCount by ConnectionState",
    "cloud.google.com, Cloud NAT: logs and metrics, OUT_OF_RESOURCES",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by SYNs to private addresses that are lost as often",
    rivals=(
        RivalPart(
            cause="snat-port-exhaustion",
            title="SNAT port exhaustion on the node",
            status="cannot-tell",
            because="the node's own translation counts insert_failed, and its SYNs do not leave",
            command="conntrack -S; sleep 60; conntrack -S",
        ),
        RivalPart(
            cause="firewall-drop",
            title="Dropped by a firewall rule",
            status="cannot-tell",
            because="a rule drops all connections to a destination; a NAT without ports drops new ones only",
        ),
    ),
    remedies=(
        RemedyPart(
            what="Keep connections open and reuse them: a pool needs a port per connection, not per request",
            applies_to="clients that open a connection for each request",
            check="ss -tan state time-wait dst PUBLIC_ADDRESS | wc -l",
            proof="the metric of refused allocations stays 0",
            undo="Restore the previous client settings",
            side_effect="idle connections must be kept alive within the NAT's idle timeout",
        ),
        RemedyPart(
            what="Give the NAT more public addresses, or more ports for each instance",
            applies_to="NAT gateways and load balancers with outbound rules",
            check="the metric of refused allocations, by NAT gateway",
            proof="the metric of refused allocations stays 0 under the same load",
            undo="Remove the addresses",
            side_effect="destinations that permit known addresses only must permit the new ones",
        ),
        RemedyPart(
            what="Reach the cloud's own services by private endpoints, which need no NAT",
            applies_to="traffic to object storage, registries and databases of the same cloud",
            check="dig NAME   # a private address",
            proof="connections to that service no longer pass the NAT",
            undo="Remove the endpoint",
            side_effect="endpoints cost by hour and by data",
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per host or export that holds such metrics; without any, one per destination whose SYNs are lost
    at a known number of tuples."""
    full = list(_full(facts))
    found = []
    for host in facts.listed_hosts.hosts:
        counted = list(_counted(host))
        if counted:
            at_limit = [_at_limit(d, held) for d, held in full]
            found.append(_hypothesis(host, [*counted, *at_limit, *_packets(facts)]))
    return found or [_from_packets(facts, findings, d, held) for d, held in full]


def _full(facts: Facts) -> Iterator[tuple[Destination, HeldTuples]]:
    most = sorted(facts.destinations, key=lambda d: (-len(d.losses), str(d.endpoint)))[:DESTINATIONS_MOST]
    for d in most:
        held = find_held_tuples(facts, d)
        if held is not None:
            yield d, held


def _at_limit(d: Destination, held: HeldTuples) -> Weighed:
    limit = held.limit
    used = f"{held.held_least:,} to {held.held_most:,} tuples were in use"
    what = f"open, or closed for less than {limit.kept_s} s; {held.open_median:,} open in the median"
    text = (
        f"{plural(held.lost, 'SYN')} to {d.endpoint} were lost while {used} ({what}); with fewer, "
        f"{plural(held.answered, 'SYN')} were answered ({p_text(held.p_value)}). {limit.product} gives "
        f"{limit.ports:,} ports for a destination by default ({limit.versions})."
    )
    reason = (
        "losses follow the number of tuples, closed ones among them, and not the time; Fisher's exact test"
    )
    return Weighed(2.6, text, loss_evidence(d), reason)


def _from_packets(facts: Facts, findings: Sequence[Case], d: Destination, held: HeldTuples) -> Hypothesis:
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"{hurt(d)} lost SYNs while {held.held_least:,} to {held.held_most:,} tuples were in use: probably all "
            "ports of the cloud's NAT."
        ),
        prior=_CAUSE.prior,
        steps=tuple(one_instance(d)),
        weighed=(_at_limit(d, held), *_packets(facts), *lossy(facts, d)),
        both_sides=False,
        independent=False,
        signs=0,
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=(*_CAUSE.rivals, _SERVER_LIMIT),
        missing=_PROOF,
        remedies=_CAUSE.remedies,
        references=REFERENCES,
        refutation=_CAUSE.refutation,
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        attempts=d.links,
        ceiling=0.999 if held.not_the_server else OPEN_CEILING,
    )


_SERVER_LIMIT: Final = RivalPart(
    cause="firewall-drop",
    title="A limit of connections per source address at the server",
    status="cannot-tell",
    because="a rule there that counts connections of one address drops SYNs at a number, too",
    command="iptables-save -c | grep -E 'connlimit|recent|hashlimit'",
)
_PROOF: Final = (
    MissingPart(
        what="The cloud's metric of refused port allocations for these minutes, as CSV",
        command="aws cloudwatch get-metric-statistics --namespace AWS/NATGateway --metric-name ErrorPortAllocation "
        "--dimensions Name=NatGatewayId,Value=NAT_ID --start-time START --end-time END --period 60 --statistics Sum",
    ),
    MissingPart(
        what="Ports in use by destination when the losses begin",
        command="ss -tan | awk '{print $5}' | sort | uniq -c | sort -rn | head",
    ),
)


def _hypothesis(host: HostSigns, pieces: list[Weighed]) -> Hypothesis:
    best = max(pieces, key=lambda piece: piece.weight)
    statement = f"The cloud's NAT had no source port for new connections{on_host(host)}: {best.text}"
    missing = (
        MissingPart(
            what="Whether the losses are to public addresses alone, and begin with these minutes",
            command="tcpdump -ni eth0 -w out.pcap 'tcp[tcpflags] & (tcp-syn|tcp-rst) != 0'",
        ),
        MissingPart(
            what="Ports in use by destination when they begin",
            command="ss -tan | awk '{print $5}' | sort | uniq -c | sort -rn | head",
        ),
    )
    return from_listings(_CAUSE, statement, pieces, missing=missing)


def _counted(host: HostSigns) -> Iterator[Weighed]:
    for name, dimension, what in _REFUSED:
        values = [
            (metric, (each.input, metric.line))
            for each in host.dumps
            for metric in each.dump.metrics
            if metric.value > 0 and name.search(metric.name) and dimension.search(_words(metric))
        ]
        if values:
            most = max(metric.value for metric, _ in values)
            text = f"{what}, up to {most:,.0f} in {plural(len(values), 'value')}."
            lines = line_evidence(line for _, line in values[:LINES_MOST])
            yield Weighed(3.8, text, lines, "the NAT counts the connections that it could not translate")


def _words(metric: MetricValue) -> str:
    return f"{metric.name} {metric.subject}"


def _packets(facts: Facts) -> list[Weighed]:
    """Of what the captures hold: SYNs that were lost, by whether their destination is public."""
    if not facts.has_packets:
        return []
    lost = [d for d in facts.destinations if len(d.losses)]
    public = [d for d in lost if is_public(d)]
    if public and len(public) == len(lost):
        count = sum(len(d.attempts) for d in public)
        text = f"{plural(count, 'connection')} to public addresses lost SYNs, none to a private one."
        frames = frame_evidence(frame for d in public for frame in d.frames())
        return [Weighed(1.0, text, frames, "only connections to public addresses pass the cloud's NAT")]
    if lost:
        text = f"SYNs to {plural(len(lost) - len(public), 'private destination')} were lost as well."
        frames = frame_evidence(frame for d in lost for frame in d.frames())
        return [Weighed(-2.0, text, frames, "those do not pass the cloud's NAT")]
    return []
