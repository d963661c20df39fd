"""What else looks like the race, and what this evidence says about each."""

from __future__ import annotations

from backend.forensics.diagnosis.loss_rivals import judge_table
from backend.forensics.diagnosis.races.evidence import Race, WeighedRace
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RivalPart

PORTS_WITHOUT_RANGE = 64_512
"""Ports 1024 to 65535, which masquerading may use when the rule names no range and the original port is above
1023."""
STATS_COMMAND = "conntrack -S; sleep 60; conntrack -S"


def rival_parts(facts: Facts, race: Race, weighed: WeighedRace) -> list[RivalPart]:
    """Each rival with a status and its reason; `cannot-tell` names the command that would decide."""
    return [
        _exhaustion(facts, race),
        _node_drop(race, weighed),
        _listen_overflow(race),
        _path_loss(facts, race),
        _table_full(facts, race),
        _ipvs_reuse(race),
        _time_wait(race),
    ]


def _inside(race: Race) -> bool:
    return race.located == len(race.collisions)


def _exhaustion(facts: Facts, race: Race) -> RivalPart:
    used = len(facts.attempts.rows_to(race.server))
    ranges = [
        r.port_range for _, r in facts.node.nat_rules() if r.target in ("MASQUERADE", "SNAT") and r.port_range
    ]
    ports = min((high - low + 1 for low, high in ranges), default=PORTS_WITHOUT_RANGE)
    name, title = "snat-port-exhaustion", "SNAT port exhaustion"
    if used * 2 < ports:
        because = (
            f"at most {used:,} connections to {race.target} in the capture, {ports:,} ports to choose from"
        )
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    because = f"{used:,} connections to {race.target} against {ports:,} ports"
    return RivalPart(
        cause=name, title=title, status="possible", because=because, command="conntrack -L -p tcp | wc -l"
    )


def _node_drop(race: Race, weighed: WeighedRace) -> RivalPart:
    name, title = "node-drop", "Drop inside the node (firewall rule, policy or program)"
    if weighed.counters_agree:
        because = f"insert_failed rose by {weighed.insert_failed:,}: it would be flat"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    if weighed.counters_flat:
        because = "insert_failed stayed flat, as a dropping rule predicts"
        return RivalPart(
            cause=name, title=title, status="possible", because=because, command="nft list ruleset"
        )
    if weighed.rivals_matter and _inside(race):
        because = "a rule does not depend on another pod's use of the same port microseconds before"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    because = "without counters a drop inside the node looks the same"
    return RivalPart(cause=name, title=title, status="possible", because=because, command=STATS_COMMAND)


def _listen_overflow(race: Race) -> RivalPart:
    name, title = "listen-overflow", "Accept queue overflow"
    if _inside(race):
        return RivalPart(
            cause=name, title=title, status="ruled-out", because="the lost SYNs never left the node"
        )
    command = "nstat -az TcpExtListenOverflows TcpExtListenDrops"
    because = "no vantage point behind NAT shows whether the SYN left"
    return RivalPart(cause=name, title=title, status="possible", because=because, command=command)


def _path_loss(facts: Facts, race: Race) -> RivalPart:
    name, title = "path-loss", "Packet loss on the path"
    if _inside(race):
        return RivalPart(
            cause=name, title=title, status="ruled-out", because="the lost SYNs never left the node"
        )
    ratio = facts.quality.data_retransmission_ratio
    if facts.quality.data_segments and ratio < 0.1 * len(race.collisions) / max(1, race.attempts_total):
        because = (
            f"data passes: {facts.quality.data_retransmissions:,} of "
            f"{facts.quality.data_segments:,} segments retransmitted"
        )
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    because = "data segments are lost, too, or too few were seen"
    return RivalPart(
        cause=name,
        title=title,
        status="possible",
        because=because,
        command="tcpdump -i eth0 -w eth0.pcap tcp",
    )


def _table_full(facts: Facts, race: Race) -> RivalPart:
    name, title = "conntrack-full", "Conntrack table full"
    delta = facts.node.delta
    if delta is not None and delta.deltas.get("early_drop", 0) == 0 and "early_drop" in delta.deltas:
        because = "early_drop did not rise, and every other new connection passed"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    status, because, command = judge_table(facts.node)
    return RivalPart(cause=name, title=title, status=status, because=because, command=command)  # type: ignore[arg-type]


def _ipvs_reuse(race: Race) -> RivalPart:
    name, title = "ipvs-port-reuse", "IPVS port reuse (conn_reuse_mode)"
    for loss, _ in race.collisions:
        retry = loss.retry
        if retry is not None and len({str(s.destination) for s in retry.sightings}) > 1:
            because = "the destination is rewritten on this path; no ipvsadm output shows by what"
            return RivalPart(
                cause=name,
                title=title,
                status="cannot-tell",
                because=because,
                command="ipvsadm -Ln; sysctl net.ipv4.vs",
            )
    if _inside(race):
        because = "the destination is not rewritten on this path: it is not a virtual service here"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    because = "no ipvsadm output was given"
    return RivalPart(
        cause=name,
        title=title,
        status="cannot-tell",
        because=because,
        command="ipvsadm -Ln; sysctl net.ipv4.vs",
    )


def _time_wait(race: Race) -> RivalPart:
    name, title = "time-wait-collision", "Source port still in TIME_WAIT at the server"
    answered = sum(loss.where.startswith("answered") for loss in race.losses)
    if _inside(race):
        because = (
            f"these SYNs never reached the server; {answered:,} of {len(race.losses):,} others were "
            "answered without a SYN-ACK"
        )
        if not answered:
            because = "these SYNs never reached the server, so it answered none of them"
        return RivalPart(cause=name, title=title, status="ruled-out", because=because)
    because = "the server would answer with a pure ACK; the side towards it was not captured"
    return RivalPart(
        cause=name,
        title=title,
        status="cannot-tell",
        because=because,
        command="tcpdump -i eth0 -w eth0.pcap tcp",
    )
