"""What else makes lookups wait: one judgement a rival, from the same facts for every cause that names it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backend.forensics.diagnosis.loss_rivals import judge_table
from backend.forensics.diagnosis.queries.trouble import Trouble, one_node
from backend.forensics.evidence.dns.lost_queries import LostQuery
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RivalPart

Judgement = tuple[str, str, str | None]
"""(status, because, command)."""
DATA_LOST_RATIO = 0.001
"""Data segments sent again, of all: a path that loses less does not lose datagrams by the dozen."""
RULES = "nft list ruleset; iptables-save -c"
CAPTURE = "tcpdump -i any -y LINUX_SLL2 -w any.pcap port 53"


@dataclass(frozen=True)
class _Case:
    facts: Facts
    trouble: Trouble
    lost: Sequence[LostQuery]
    counted: bool
    flat: bool

    def all_at(self, *where: str) -> bool:
        return bool(self.lost) and all(q.where in where for q in self.lost)


def list_rivals(
    facts: Facts,
    trouble: Trouble,
    lost: Sequence[LostQuery],
    *names: str,
    counted: bool = False,
    flat: bool = False,
) -> tuple[RivalPart, ...]:
    """The named rivals, judged. `counted`: conntrack counted the losses; `flat`: it counted nothing around them."""
    case = _Case(facts, trouble, lost, counted, flat)
    parts = []
    for name in names:
        title, judge = _RIVALS[name]
        status, because, command = judge(case)
        parts.append(
            RivalPart(cause=name, title=title, status=status, because=because, command=command)  # type: ignore[arg-type]
        )
    return tuple(parts)


def _race(case: _Case) -> Judgement:
    if not case.trouble.of_pairs:
        return "ruled-out", "no lost query had an answered second query on its socket", None
    if case.all_at("reached", "return"):
        return "ruled-out", "the lost queries were captured behind the DNAT", None
    if case.flat:
        return (
            "possible",
            "queries of pairs were lost, though insert_failed stayed flat",
            "uname -r; conntrack -S",
        )
    because = "one of each pair sent together was lost"
    return "possible", because, "conntrack -S; sleep 60; conntrack -S"


def _node_drop(case: _Case) -> Judgement:
    if case.all_at("inside") and not any(one_node(case.facts, q) for q in case.lost):
        return "cannot-tell", "nothing shows that both captures are from one node", CAPTURE
    if case.counted:
        return "ruled-out", "insert_failed rose with the losses: it would be flat", None
    if case.all_at("reached", "return"):
        return "ruled-out", "the lost queries were captured behind the node's rules", None
    if not case.lost:
        return "ruled-out", "no query was lost", None
    because = "a rule that drops some datagrams looks the same"
    if case.flat:
        because = "insert_failed stayed flat, as a dropping rule predicts"
    return "possible", because, "nft list ruleset; iptables-save -c"


def _mute(case: _Case) -> Judgement:
    if not case.trouble.failed:
        because = "each lost query was answered when it was retried" if case.lost else "no query was lost"
        if not case.all_at("inside"):
            return "ruled-out", because, None
    if case.lost and all(q.passed_again for q in case.lost):
        if case.all_at("inside"):
            return "ruled-out", "the lost queries never reached the resolver", None
        because = "the resolver answered each of them when it was retried, and the other query of the socket promptly"
        return "ruled-out", because, None
    return "possible", "some queries were never answered", "dig +tries=1 @RESOLVER NAME"


def _slow(case: _Case) -> Judgement:
    late = sum("late" in one.why for one in case.trouble.resolver.delayed)
    if late:
        return (
            "possible",
            f"{late} lookups were answered late, without a retry",
            "dig @RESOLVER NAME",
        )
    return "ruled-out", "no response was late: they came promptly or not at all", None


def _path(case: _Case) -> Judgement:
    if not case.lost:
        return "ruled-out", "no query was lost", None
    if case.all_at("inside") and all(one_node(case.facts, q) for q in case.lost):
        return "ruled-out", "the lost queries never left the node", None
    if case.all_at("reached"):
        if case.trouble.answers_halves:
            return (
                "cannot-tell",
                "between the outermost capture and the resolver nothing was captured",
                CAPTURE,
            )
        return "ruled-out", "the queries came as far as others, which are answered", None
    quality = case.facts.quality
    if quality.data_segments >= 1_000 and quality.data_retransmission_ratio < DATA_LOST_RATIO:
        return (
            "ruled-out",
            f"{quality.data_retransmissions:,} of {quality.data_segments:,} data segments were retransmitted",
            None,
        )
    return "possible", "a path that loses datagrams looks the same from one vantage point", CAPTURE


def _table_full(case: _Case) -> Judgement:
    judged = judge_table(case.facts.node)
    if judged[0] == "ruled-out":
        return judged
    if case.lost and all(q.pair_answered for q in case.lost):
        return (
            "ruled-out",
            "a full table refuses the first packet of a flow; here its flow was accepted",
            None,
        )
    return judged


def _firewall(case: _Case) -> Judgement:
    if case.trouble.resolver.answered:
        if case.trouble.answers_halves:
            return (
                "possible",
                "other queries for the same names were answered: a rule may match a type",
                RULES,
            )
        because = (
            "the same clients were answered there at other times: a rule without a rate limit drops always"
        )
        return "ruled-out", because, None
    return (
        "possible",
        "a rule that drops in front of the resolver looks the same",
        RULES,
    )


_RIVALS: dict[str, tuple[str, Callable[[_Case], Judgement]]] = {
    "dnat-race": ("DNAT collision at a service address (conntrack race)", _race),
    "node-drop": ("Drop inside the node (firewall rule, policy or program)", _node_drop),
    "resolver-unresponsive": ("Unresponsive DNS resolver", _mute),
    "slow-resolver": ("Slow DNS resolver", _slow),
    "path-loss": ("Packet loss on the path", _path),
    "conntrack-full": ("Conntrack table full", _table_full),
    "firewall-drop": ("Dropped by a firewall rule", _firewall),
}
