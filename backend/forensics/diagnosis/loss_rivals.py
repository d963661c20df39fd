"""What else could have lost these SYNs: one judgement a rival, from the same facts for every cause that names it."""

from __future__ import annotations

from collections.abc import Callable

from backend.forensics.diagnosis.lost_syns import CAPTURE_BOTH_SIDES, FILTER_RULES, LISTEN_COUNTERS, NEIGHBOUR
from backend.forensics.evidence.absence.kept_inside import sent_on_otherwise
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.counters import KernelFacts
from backend.forensics.evidence.kernel.kernel_signs import conntrack_fill, counter_rise, messages_with
from backend.forensics.evidence.losses.data_loss import compare_losses
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.findings import plural
from backend.forensics.report import RivalPart
from backend.forensics.wording import p_text, times_text

SIGNIFICANT_P = 0.01
SAMPLE_LIKE_P = 0.05
"""Above this the two rates cannot be distinguished."""
CONNTRACK_FAR_BELOW = 0.8
CONNTRACK_COMMAND = (
    "sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max; dmesg | grep 'table full'"
)
NAT_COMMAND = "conntrack -S; sleep 60; conntrack -S"
IPVS_COMMAND = "ipvsadm -Ln; sysctl net.ipv4.vs"

Judgement = tuple[str, str, str | None]
"""(status, because, command)."""


def list_rivals(facts: Facts, destination: Destination, *names: str) -> tuple[RivalPart, ...]:
    """The named rivals, judged."""
    parts = []
    for name in names:
        title, judge = _RIVALS[name]
        status, because, command = judge(facts, destination)
        parts.append(
            RivalPart(cause=name, title=title, status=status, because=because, command=command)  # type: ignore[arg-type]
        )
    return tuple(parts)


def _unresponsive(facts: Facts, d: Destination) -> Judgement:
    if d.opened or d.refused:
        return (
            "ruled-out",
            f"{d.endpoint} answered {plural(d.opened + d.refused, 'attempt')} in this capture",
            None,
        )
    if d.heard_after:
        return "ruled-out", "the host responded at the same time, but not on this port", None
    return "possible", "no packet from the host in this capture", NEIGHBOUR.command


def _firewall(facts: Facts, d: Destination) -> Judgement:
    if not d.silent:
        return "ruled-out", "the same sources were answered there at other times: a rule drops always", None
    return "possible", "a rule that drops in front of the host looks the same from here", FILTER_RULES.command


def _listen(facts: Facts, d: Destination) -> Judgement:
    hosts = facts.listed_hosts.like(d.endpoint)
    if hosts and all(map(_no_listen_drops, hosts)):
        of = "the destination host" if len(hosts) == 1 else "every host that can be the destination"
        return "ruled-out", f"the listen counters of {of} stayed flat", None
    if d.kinds.get("inside", 0) == len(d.losses):
        return "ruled-out", "the lost SYNs never left the node", None
    if _answered(d) == len(d.losses):
        return "ruled-out", "the server answered: a full queue drops the SYN instead", None
    status = "possible" if d.opened or d.heard_after else "cannot-tell"
    return status, "a server with a full accept queue does not respond, either", LISTEN_COUNTERS.command


def _answered(d: Destination) -> int:
    """SYNs whose SYN-ACK was captured."""
    return d.kinds.get("return", 0) + d.kinds.get("held", 0)


def _no_listen_drops(kernel: KernelFacts) -> bool:
    rises = [counter_rise(kernel, "nstat", f"TcpExtListen{n}") for n in ("Overflows", "Drops")]
    known = [rise.by for rise in rises if rise is not None]
    return bool(known) and not any(known)


def _path(facts: Facts, d: Destination) -> Judgement:
    rates = compare_losses(facts.data_of_hosts, d)
    command = "mtr -rwc 100 HOST; tcpdump -i eth0 -w eth0.pcap host HOST"
    if d.kinds.get("inside", 0) == len(d.losses) and not d.losses.between_captures().any():
        return "ruled-out", "the lost SYNs never left the node", None
    if not rates.data_segments:
        return (
            "cannot-tell",
            "no data was exchanged with this host, so there is nothing to compare with",
            command,
        )
    if rates.p_syns_more < SIGNIFICANT_P:
        return "ruled-out", f"{rates.in_words} ({p_text(rates.p_syns_more)}): only SYNs are lost", None
    return "possible", f"{rates.in_words} ({p_text(rates.p_syns_more)})", command


def _return(facts: Facts, d: Destination) -> Judgement:
    if d.kinds.get("return", 0):
        return (
            "possible",
            f"{d.kinds['return']} of these SYNs had been answered",
            CAPTURE_BOTH_SIDES.command,
        )
    if d.kinds.get("inside", 0) == len(d.losses):
        return "ruled-out", "the lost SYNs never left the node, so there was nothing to answer", None
    because = (
        f"no SYN-ACK was captured on {d.outermost.word}; beyond it a SYN-ACK can be lost as well as a SYN"
    )
    return "cannot-tell", because, CAPTURE_BOTH_SIDES.command


def _snat(facts: Facts, d: Destination) -> Judgement:
    if d.kinds.get("beyond", 0) + _answered(d) + d.kinds.get("replied", 0) == len(d.losses):
        return "ruled-out", "the SYNs were captured behind the node", None
    delta = facts.node.delta
    if delta is not None and delta.deltas.get("insert_failed") == 0:
        return "ruled-out", "insert_failed stayed flat: no entry was refused", None
    return "cannot-tell", "whether the SYNs passed NAT was not captured", NAT_COMMAND


def _ipvs(facts: Facts, d: Destination) -> Judgement:
    if d.kinds.get("beyond", 0) == len(d.losses) or _answered(d) == len(d.losses):
        return "ruled-out", f"the SYNs were captured as far out as {d.outermost.word}", None
    return "cannot-tell", "no dump shows whether this address is a virtual service", IPVS_COMMAND


def judge_table(kernel: KernelFacts) -> Judgement:
    """Whether the conntrack table of this host was full: by its log, its size, its counters."""
    fill, delta = conntrack_fill(kernel), kernel.delta
    logged = len(messages_with(kernel, "nf_conntrack", "table full"))
    size = f"{fill.count:,} of {fill.limit:,} entries in use" if fill is not None else ""
    if fill is not None and fill.ratio < CONNTRACK_FAR_BELOW:
        return "ruled-out", size, None
    if delta is not None and "drop" in delta.deltas:
        drop, early = delta.deltas["drop"], delta.deltas.get("early_drop", 0)
        if not drop and not early:
            return "ruled-out", "drop and early_drop stayed flat", None
        if not logged and fill is None:
            return "possible", f"drop rose by {drop:,} and early_drop by {early:,}", CONNTRACK_COMMAND
    if logged or fill is not None:
        said = [f"the kernel logged a full table {times_text(logged)}"] if logged else []
        return "possible", ", and ".join([*said, *([size] if size else [])]), CONNTRACK_COMMAND
    return "cannot-tell", "no counters and no sizes were given", CONNTRACK_COMMAND


def _table_full(facts: Facts, d: Destination) -> Judgement:
    judged = judge_table(facts.node)
    if judged[0] == "ruled-out":
        return judged
    if d.kinds.get("beyond", 0) + _answered(d) == len(d.losses):
        return "ruled-out", "this node let the SYNs pass; the server's own table is not known", None
    return judged


def _node_drop(facts: Facts, d: Destination) -> Judgement:
    left = sent_on_otherwise(facts.attempts, d)
    if left is not None:
        because = f"{d.outermost.word} received them; others of the same sources left on {left.word}"
        return "possible", because, FILTER_RULES.command
    if d.kinds.get("inside", 0) == len(d.losses):
        return "possible", "they are lost inside the node, as with a rule that drops", FILTER_RULES.command
    if d.one_sided:
        return (
            "cannot-tell",
            "with one vantage point the location of the loss is unknown",
            FILTER_RULES.command,
        )
    return "ruled-out", f"the SYNs were captured as far out as {d.outermost.word}", None


_RIVALS: dict[str, tuple[str, Callable[[Facts, Destination], Judgement]]] = {
    "target-unresponsive": ("Host down or unreachable", _unresponsive),
    "firewall-drop": ("Dropped by a firewall rule", _firewall),
    "listen-overflow": ("Accept queue overflow", _listen),
    "path-loss": ("Packet loss on the path", _path),
    "return-path-loss": ("Packet loss on the return path", _return),
    "snat-port-race": ("SNAT source-port collision", _snat),
    "ipvs-port-reuse": ("IPVS port reuse (conn_reuse_mode)", _ipvs),
    "conntrack-full": ("Conntrack table full", _table_full),
    "node-drop": ("Drop inside the node (firewall rule, policy or program)", _node_drop),
}
