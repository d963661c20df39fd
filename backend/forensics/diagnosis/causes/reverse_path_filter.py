"""The reverse-path filter of a host drops packets whose source it would answer by another interface.

net/ipv4/fib_frontend.c, fib_validate_source(); the packet arrives at the interface (a capture there shows it) and goes
no further, for every packet of that source. It is counted in IPReversePathFilter and, with log_martians, logged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.loosened_filter import loosen, other_way
from backend.forensics.diagnosis.lost_syns import REFUTES, about, of_kind
from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.reverse_path import (
    COUNTER,
    LOOSE,
    STRICT,
    ReversePath,
    find_reverse_path,
)
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.private_words import PrivateWord, of_place, of_rule
from backend.forensics.report import ClaimPart, MissingPart, RivalPart

CAUSE = "reverse-path-filter"
TITLE = "Dropped by the reverse-path filter"
ALTERNATIVES: Final = (
    Alternative("Firewall rule", "a rule's counter rises; the filter counts IPReversePathFilter and no rule"),
    Alternative(
        "Packet loss on the path",
        "the packet is not seen at the interface at all; here it comes in and is not passed on",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The filter's mode, and whether it drops now",
        command="sysctl -a 2>/dev/null | grep '\\.rp_filter'; nstat -az TcpExtIPReversePathFilter",
    ),
)
PRIOR = -3.0
"""Rare on hosts with one uplink, and never without a trace: the kernel counts every packet."""
FEW = 3
"""Fewer packets are accidents: a moved address, an interface that came up late (packets)."""

REFERENCES = (
    "RFC 3704 sections 2.2 and 2.4: strict and loose reverse path forwarding",
    "Documentation/networking/ip-sysctl.rst: rp_filter, log_martians",
    "net/ipv4/fib_frontend.c: fib_validate_source(); net/ipv4/route.c: ip_handle_martian_source()",
)


@dataclass(frozen=True)
class _Case:
    """A host whose filter dropped something, and the answers that were lost on the way back through it."""

    host: HostSigns
    path: ReversePath
    lost: tuple[Loss, ...]
    findings: tuple[str, ...]

    @property
    def device(self) -> str:
        """The interface that the packets came in by: where most were logged, or the only strict one."""
        logged = Counter(m.device for m in self.path.martians)
        if logged:
            return min(logged, key=lambda name: (-logged[name], name))
        return self.path.strict_device({a.place.name for loss in self.lost for a in other_way(loss)})


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per host whose filter left a trace."""
    found = []
    node = facts.node if facts.has_packets else None
    for host in facts.listed_hosts.hosts:
        path = find_reverse_path(host.kernel)
        if not path.counted and not path.martians and not path.rules:
            continue
        mine = node is not None and {d.input for d in host.dumps} == {d.input for d in node.dumps}
        hit = [d for d in facts.destinations if of_kind(d, "return")] if mine else []
        lost = tuple(loss for d in hit for loss in of_kind(d, "return"))
        names = tuple(dict.fromkeys(name for d in hit for name in about(findings, d)))
        found.append(_hypothesis(facts, _Case(host, path, lost, names)))
    return found


def _hypothesis(facts: Facts, case: _Case) -> Hypothesis:
    kernel = [*_counted(case), *_logged(case), *_rules(case)]
    settings, packets = _settings(case), _packets(facts, case)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(case),
        prior=PRIOR,
        steps=tuple(ClaimPart(role="step", text=p.text, evidence=list(p.evidence)) for p in kernel[:1]),
        weighed=(*kernel, *settings, *packets),
        both_sides=bool(case.lost),
        independent=bool(kernel),
        signs=len([p for p in (*kernel, *settings, *packets) if p.weight > 0]) - 1,
        findings=case.findings,
        time_lost_s=0.0,
        rivals=_rivals(case),
        missing=_missing(case),
        remedies=loosen(case.device or "INTERFACE"),
        references=REFERENCES,
        refutation=f"it would be refuted by a flat {COUNTER} while packets are lost",
        figures=(("packets dropped", f"{case.path.counted:,}"), ("logged", f"{len(case.path.martians):,}")),
    )


def _statement(case: _Case) -> str:
    name = f" of {PrivateWord(case.host.name, 'host')}" if case.host.name else ""
    at = f" on {of_place(case.device)}" if case.device else ""
    dropped = case.path.counted or sum(rule.packets for rule in case.path.rules)
    what = plural(dropped, "packet") if dropped else f"{plural(len(case.path.martians), 'packet')} or more"
    return f"The reverse-path filter{name} dropped {what}{at}: packets to their source leave by another interface."


def _counted(case: _Case) -> list[Weighed]:
    rise = case.path.rise
    if rise is None or not rise.by:
        return []
    text = f"{COUNTER} rose by {rise.by:,} {rise.between_dumps}."
    reason = "the filter counts each packet that it drops"
    return [Weighed(3.0 if rise.by >= FEW else 1.0, text, line_evidence(rise.lines), reason)]


def _logged(case: _Case) -> list[Weighed]:
    martians = case.path.martians
    if not martians:
        return []
    one = martians[0]
    text = (
        f"The kernel logged {plural(len(martians), 'martian source', 'martian sources')}: from {one.source} to "
        f"{one.destination}, received on {of_place(one.device)}."
    )
    reason = "written where the packet is dropped; when, only a time stamp shows"
    return [Weighed(2.8, text, line_evidence(m.line for m in martians), reason)]


def _rules(case: _Case) -> list[Weighed]:
    if not case.path.rules:
        return []
    one = max(case.path.rules, key=lambda rule: rule.packets)
    text = f"A reverse-path rule of netfilter dropped {plural(one.packets, 'packet')}: {of_rule(one.rule.text[:90])}"
    return [Weighed(3.6, text, line_evidence(one.lines), "the rule's own counter")]


def _settings(case: _Case) -> list[Weighed]:
    modes = case.path.modes
    # Where the log names an interface whose value is not listed, that of another one shows nothing of it.
    known = modes if "all" in modes or not case.path.martians else {}
    chosen = {case.device: modes[case.device]} if case.device in modes else known
    if not chosen or (case.path.rules and not case.path.counted):
        return []
    lines = line_evidence(line for _, of in chosen.values() for line in of)
    strict = sorted(name for name, (mode, _) in chosen.items() if mode == STRICT)
    if strict:
        shown = "conf.all" if "all" in strict else ", ".join(f"{of_place(name)}" for name in strict[:4])
        text = f"rp_filter is strict (1) on {shown}: the larger of conf.all and the interface's value counts."
        return [
            Weighed(1.2, text, lines, "strict mode drops packets whose reverse route uses another interface")
        ]
    if case.device not in chosen:
        return []
    if chosen[case.device][0] == LOOSE:
        text = "rp_filter is loose (2): only sources without any route are dropped."
        return [Weighed(-1.5, text, lines, "loose mode accepts packets of asymmetric routes")]
    return [Weighed(REFUTES, "rp_filter is 0: nothing is filtered.", lines, "the filter is off")]


def _packets(facts: Facts, case: _Case) -> list[Weighed]:
    if not facts.has_packets:
        return []
    if not case.lost:
        text = "The captures show no loss on the return path."
        lines = line_evidence(
            case.path.rise.lines if case.path.rise else [m.line for m in case.path.martians]
        )
        return [Weighed(-2.0, text, lines, "the filter dropped none of these connections")]
    other = [a for loss in case.lost for a in other_way(loss)]
    frames = frame_evidence((a.place.input, a.frame) for loss in case.lost for a in loss.answered_by)
    if not other:
        text = f"{plural(len(case.lost), 'SYN-ACK')} were lost on the return path."
        return [Weighed(0.6, text, frames, "the filter drops responses as well as requests")]
    text = (
        f"{plural(len(other), 'SYN-ACK')} arrived on {other[0].place.word}, not the interface of their SYNs."
    )
    return [Weighed(1.5, text, frames, "the route back to this source leaves by another interface")]


def _rivals(case: _Case) -> tuple[RivalPart, ...]:
    if not case.lost:
        return ()
    because = "a rule on the return path drops the same packets, but does not count them here"
    counted = case.path.counted * 2 >= len(case.lost)
    return (
        RivalPart(
            cause="firewall-drop",
            title="Dropped by a firewall rule",
            status="ruled-out" if counted else "possible",
            because=because,
        ),
    )


def _missing(case: _Case) -> tuple[MissingPart, ...]:
    parts = []
    if not case.path.modes:
        parts.append(
            MissingPart(
                what="The filter's mode on every interface",
                command="sysctl -a 2>/dev/null | grep '\\.rp_filter'",
            )
        )
    if case.path.rise is None:
        command = f"nstat -az {COUNTER}; sleep 60; nstat -az {COUNTER}"
        parts.append(MissingPart(what="Whether the filter drops packets now", command=command))
    one = case.path.martians[0] if case.path.martians else None
    get = (
        f"{one.source} from {one.destination} iif {one.device}"
        if one
        else "SOURCE from DESTINATION iif INTERFACE"
    )
    parts.append(
        MissingPart(
            what="The route back to the source of such a packet; log_martians = 1 names them",
            command=f"ip route get {get}; ip rule; ip route show table all",
        )
    )
    return tuple(parts)
