"""Packets between pods of one bridge do not pass netfilter: answers of a service reach the client untranslated.

br_netfilter gives bridged IPv4 to iptables when net.bridge.bridge-nf-call-iptables is 1
(net/bridge/br_netfilter_hooks.c). Without it the SYN to a service is routed and translated, but the answer of an
endpoint on the same bridge goes straight to the client: it comes from the endpoint's own address, no socket knows
it, and the client resets. Every connection to an endpoint of the same node fails, those to other nodes work."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings
from backend.forensics.diagnosis.lost_syns import about_servers
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.kernel_signs import Line, settings_of
from backend.forensics.evidence.nat.service_returns import ForeignAnswers
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import EvidencePart, MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import times_text

CAUSE = "bridge-netfilter-off"
TITLE = "Bridged packets bypass netfilter"
ALTERNATIVES: Final = (
    Alternative(
        "Packets that conntrack marks INVALID",
        "those are a few packets within a connection; here it is the SYN-ACK of each",
    ),
    Alternative(
        "Hairpin",
        "a client that is its own endpoint fails alone; here every client on the endpoint's node does",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="Whether bridged packets pass iptables on the node of both pods",
        command="sysctl net.bridge.bridge-nf-call-iptables; lsmod | grep br_netfilter; bridge link",
    ),
)
PRIOR = -2.0
"""Rare since kubelets check it; the packets show it plainly."""
SEVERAL = 2
_UNEXPECTED = re.compile(r"reply from unexpected source", re.IGNORECASE)
"""What dig and nslookup print (bind9, lib/dns/dispatch.c)."""
_SAME_NODE = "kubectl get pods -o wide; tcpdump -eni cni0 'tcp[tcpflags] & (tcp-syn|tcp-rst) != 0 or port 53'"
SETTING = "net.bridge.bridge-nf-call-iptables"

REFERENCES = (
    "net/bridge/br_netfilter_hooks.c: br_nf_pre_routing()",
    "Documentation/networking/ip-sysctl.rst: bridge-nf-call-iptables",
    "kubernetes.io, Container Runtimes: forwarding IPv4 and letting iptables see bridged traffic",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per service whose answers came from another address."""
    if facts.foreign_answers:
        return [_hypothesis(facts, findings, each) for each in facts.foreign_answers]
    return [found for host in facts.listed_hosts.hosts if (found := _listed(host)) is not None]


def _listed(host: HostSigns) -> Hypothesis | None:
    """A client that names the address an answer came from, or a failing one beside the setting."""
    strange = _client_lines(host, lambda text: _UNEXPECTED.search(text) is not None)
    failed = _client_lines(host, lambda text: _UNEXPECTED.search(text) is None)
    off = [line for value, line in settings_of(host.kernel, SETTING) if value == "0"]
    pieces = []
    if strange:
        text = f"A client got {plural(len(strange), 'answer')} from another address than it had asked."
        pieces.append(Weighed(2.2, text, line_evidence(strange), "the answer's translation was not undone"))
    if off:
        text = f"{SETTING} = 0."
        pieces.append(Weighed(1.5, text, line_evidence(off), "bridged packets are not given to iptables"))
    if off and failed:
        text = f"A client failed {times_text(len(failed))}."
        pieces.append(
            Weighed(0.4, text, line_evidence(failed), "an answer from another address is no answer")
        )
    if not off or len(pieces) < 2:
        return None
    statement = "Answers between pods of one bridge bypass iptables, so that clients get them untranslated."
    missing = (MissingPart(what="Whether it fails for endpoints of the same node alone", command=_SAME_NODE),)
    return from_listings(_LISTED, statement, pieces, missing=missing)


def _client_lines(host: HostSigns, fits: Callable[[str], bool]) -> list[Line]:
    steps = ((d.input, s) for d in host.dumps for s in d.dump.client_steps)
    return [(number, s.line) for number, s in steps if s.what == "failed" and fits(s.text)]


def _hypothesis(facts: Facts, findings: Sequence[Case], answers: ForeignAnswers) -> Hypothesis:
    settings = _settings(facts)
    row = facts.attempts.sightings.rows[int(answers.syns[0])]
    service = Endpoint(*(int(row[f"destination_{part}"]) for part in ("high", "low", "port")))
    came = facts.attempts.sightings.rows[int(answers.rows[0])]
    real = Endpoint(*(int(came[f"source_{part}"]) for part in ("high", "low", "port")))
    number = len(answers.rows)
    links = np.unique(facts.attempts.sightings.link[answers.syns]).tolist()
    links = tuple(link for link in links if link in facts.row_of_link)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"{plural(number, 'SYN-ACK')} of {service} came from {real} instead, past the translation: the client "
            "reset them."
        ),
        prior=PRIOR,
        steps=(),
        weighed=(*_came(facts, answers, service, real), *settings),
        both_sides=True,
        independent=any(piece.weight > 0 for piece in settings),
        signs=1 + int(answers.unrouted > 0) + len(settings),
        findings=about_servers(findings, frozenset((str(service),))),
        time_lost_s=facts.delays.lost_by(links),
        rivals=_rivals(answers),
        missing=(
            MissingPart(
                what="Whether bridged packets pass iptables on the node of both pods",
                command=f"sysctl {SETTING}; lsmod | grep br_netfilter; bridge link",
            ),
        ),
        remedies=_REMEDIES,
        references=REFERENCES,
        refutation="it would be refuted by an answer of the same endpoint that comes from the service",
        figures=(("answers", f"{number:,}"), ("service", str(service)), ("endpoint", str(real))),
        attempts=links,
    )


def _frames(facts: Facts, answers: ForeignAnswers) -> list[EvidencePart]:
    seen = facts.attempts.sightings
    both = [*answers.syns.tolist(), *answers.rows.tolist()]
    return frame_evidence((seen.places[int(seen.place[n])].input, int(seen.rows["frame"][n])) for n in both)


def _came(facts: Facts, answers: ForeignAnswers, service: Endpoint, real: Endpoint) -> list[Weighed]:
    frames, number = _frames(facts, answers), len(answers.rows)
    text = f"{plural(number, 'SYN')} to {service} were answered by {real}; the client reset these answers."
    reason = "the answer has the SYN's number and another source: its translation was not undone"
    # Who pastes the lines of one connection has chosen one of many; in a recorded capture a single one is an accident.
    chosen = all(capture.is_printed for capture in facts.captures)
    pieces = [Weighed(3.0 if number >= SEVERAL else 2.2 if chosen else 1.0, text, frames, reason)]
    if answers.unrouted * 2 > number:
        text = f"{plural(answers.unrouted, 'answer')} had a TTL that no router had lowered."
        pieces.append(Weighed(0.8, text, frames, "client and endpoint are on one segment"))
    return pieces


def _settings(facts: Facts) -> list[Weighed]:
    values: dict[str, list[Line]] = {}
    for value, line in settings_of(facts.node, SETTING):
        values.setdefault(value, []).append(line)
    if set(values) == {"0"}:
        text = f"{SETTING} = 0."
        return [Weighed(2.5, text, line_evidence(values["0"]), "bridged packets are not given to iptables")]
    if set(values) == {"1"}:
        text = f"{SETTING} = 1."
        reason = "bridged packets pass iptables: the answers took another path around the node"
        return [Weighed(-2.5, text, line_evidence(values["1"]), reason)]
    return []


def _rivals(answers: ForeignAnswers) -> tuple[RivalPart, ...]:
    because = "a router that knows both sends the answer past the node that translated its request"
    unrouted = answers.unrouted * 2 > len(answers.rows)
    return (
        RivalPart(
            cause="asymmetric-route",
            title="The answers take a path around the translating node",
            status="ruled-out" if unrouted else "possible",
            because="no router had lowered the answers' TTL" if unrouted else because,
            command="ip route get CLIENT   # on the endpoint's host",
        ),
    )


_REMEDIES = (
    RemedyPart(
        what="Load br_netfilter and let iptables see bridged packets",
        command=f"modprobe br_netfilter && sysctl -w {SETTING}=1 net.bridge.bridge-nf-call-ip6tables=1",
        applies_to="every node whose pods hang on a Linux bridge",
        check=f"sysctl {SETTING}; lsmod | grep br_netfilter",
        proof="answers come from the service's address; connections to endpoints of the same node open",
        undo=f"sysctl -w {SETTING}=0",
        side_effect="all bridged IPv4 passes iptables, also that of virtual machines on the same host",
        versions="write it to /etc/sysctl.d and /etc/modules-load.d: unset at boot until the module is loaded",
    ),
)


_LISTED = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=PRIOR,
    references=REFERENCES,
    refutation="it would be refuted by failures of endpoints on other nodes",
    remedies=_REMEDIES,
)
