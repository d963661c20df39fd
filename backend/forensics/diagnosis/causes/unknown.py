"""A delay is real and no cause is supported: reported as unknown, with the evidence that would decide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.cases.dns_delay import DnsDelay
from backend.forensics.cases.syn_retransmission import SynRetransmission
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.ecn_claims import REMEDY, RULES, STATEMENT, EcnLoss, ecn_losses
from backend.forensics.diagnosis.exclusive import is_one_lost_syn
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.icmp_outages import outage_reported
from backend.forensics.diagnosis.queries.trouble import AT_RESOLVER, BOTH_SIDES, COUNTERS
from backend.forensics.evidence.absence.losses import UNKNOWN_PLACE
from backend.forensics.evidence.attempts.delays import DELAYED_FROM_S
from backend.forensics.evidence.clocks.grouped_rows import is_among
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, seconds_text
from backend.forensics.report import ClaimPart, DiagnosisPart, MissingPart, RivalPart
from backend.forensics.wording import NOT_ESTABLISHED, plural

CAUSE = "unknown"
TITLE = "Cause not established"
CEILING = 0.5
"""docs/detection.md: `unknown` never claims more than even odds."""

SUMMARY_LONGEST = 125
"""Characters, so that the statement stays below 160."""

MISSING = (
    MissingPart(
        what=(
            "Captures at every vantage point of the path at the same time: they show between which two the "
            "packets are lost"
        ),
        command="tcpdump -i any -y LINUX_SLL2 -w any.pcap 'tcp[tcpflags] & (tcp-syn|tcp-rst) != 0'",
    ),
    ListingRequest(
        what="Kernel counters before and after: a rising insert_failed points at NAT, flat counters elsewhere",
        command="conntrack -S; sleep 60; conntrack -S",
        at="node",
    ),
    ListingRequest(
        what="Listen queue counters of the server: a rise means that it dropped SYNs",
        command="nstat -az TcpExtListenOverflows TcpExtListenDrops",
        at="server",
    ),
)

_OF_LOSSES = ("syn-retransmission", "data-retransmission")
MISSING_OF_LOOKUPS = (BOTH_SIDES, AT_RESOLVER, COUNTERS)


def assess_rest(
    facts: Facts,
    findings: Sequence[Case],
    explained: frozenset[str],
    left: frozenset[int],
    unsettled: Sequence[DiagnosisPart],
) -> Hypothesis | None:
    """All delays that no cause takes, as one answer: they share what is missing.

    `explained` are the ids of findings that a cause above 0.3 refers to, `left` the links of attempts that nobody
    takes, `unsettled` the causes that could not be determined about them: they become its rivals, and what they miss is
    what it misses."""
    notable = [f for f in findings if f.severity != "info" and f.time_lost_s > 0]
    links = _open_links(facts, findings, notable, left) or _one_lost_syn(facts, left, unsettled)
    # A finding about attempts is judged by its attempts, any other by whether a cause refers to it.
    of_target = {target: facts.attempts.retried_links_to(target) for target in map(_target, notable)}
    open_links = np.array(links, np.int64)
    open_targets = {target for target, asked in of_target.items() if is_among(asked, open_links).any()}
    about = [
        f
        for f in notable
        if _target(f) in open_targets or (f.id not in explained and not len(of_target[_target(f)]))
    ]
    return _hypothesis(facts, about, links, unsettled) if about or links else None


def _open_links(
    facts: Facts, findings: Sequence[Case], notable: Sequence[Case], left: frozenset[int]
) -> tuple[int, ...]:
    """Of `left`: attempts that opened late, and those whose SYN was sent again to a server without a finding that says
    it is harmless. Destinations beyond those with a finding of their own (a scan) are among them, too."""
    links = np.sort(np.fromiter(left, np.int64))
    again = facts.attempts.was_retried(links)
    chosen = ~again & is_among(links, facts.delays.link[facts.delays.counted])
    if notable:
        harmless = {_target(f) for f in findings} - {_target(f) for f in notable}
        excepted = [facts.attempts.retried_links_to(target) for target in sorted(harmless)]
        chosen |= again & ~np.isin(links, np.concatenate([np.zeros(0, np.int64), *excepted]))
    return tuple(links[chosen].tolist())


def _one_lost_syn(facts: Facts, left: frozenset[int], unsettled: Sequence[DiagnosisPart]) -> tuple[int, ...]:
    """Harmless, but several causes were asked about it: one answer takes their place."""
    every = np.sort(np.fromiter(left, np.int64))
    links = tuple(every[facts.attempts.was_retried(every)].tolist())
    return links if unsettled and is_one_lost_syn(facts, links) else ()


def _target(finding: Case) -> str:
    return finding.target


def _places(finding: Case) -> tuple[str, ...]:
    return tuple(finding.lost_at) if isinstance(finding, DnsDelay | SynRetransmission) else ()


def _where(places: Sequence[str]) -> str:
    if all(place.startswith(UNKNOWN_PLACE) for place in places):
        return "Where the packets were lost is not known: they were captured at one vantage point only."
    return f"Where the packets were lost: {'; '.join(places)}."


def _what(facts: Facts, findings: Sequence[Case], links: Sequence[int]) -> str:
    if findings:
        more = f" {len(findings) - 1} more like it." if len(findings) > 1 else ""
        said = findings[0].summary
        # A statement is one line: of a long summary the first sentence, and of that what stands before its detail.
        for end in (". ", ": ", " ("):
            if len(said) + len(more) > SUMMARY_LONGEST:
                said = f"{said.partition(end)[0].rstrip('.')}."
        return f"{said}{more}"
    return (
        f"{plural(len(links), 'connection')} opened {DELAYED_FROM_S:g} s or more above their baseline without a SYN "
        "retransmission."
    )


def _statement(
    facts: Facts, findings: Sequence[Case], links: tuple[int, ...], ecn: Sequence[EcnLoss], reported: str
) -> str:
    if is_one_lost_syn(facts, links):
        return "One SYN was lost; the cause cannot be determined."
    if reported:
        return f"{_what(facts, findings, links)} ICMP reports {reported}."
    return (
        f"{_what(facts, findings, links)} {STATEMENT if _decides(ecn) else 'The evidence does not show why.'}"
    )


def _decides(ecn: Sequence[EcnLoss]) -> bool:
    """No other SYN was lost: more captures of them show nothing new."""
    return bool(ecn) and all(loss.is_all for loss in ecn)


def _hypothesis(
    facts: Facts, findings: Sequence[Case], links: tuple[int, ...], unsettled: Sequence[DiagnosisPart]
) -> Hypothesis:
    frames = (
        frame_evidence(facts.delays.frames_of(facts.delays.positions(links)))
        if links
        else list(findings[0].evidence)
    )
    places = _places(findings[0]) if findings else ()
    reason = "the last location does not show the cause"
    seen = (Weighed(0.1, _where(places), frames, reason),) if places else ()
    ecn, outage = ecn_losses(facts, links), outage_reported(facts, links)
    reported, shown = (outage[0], (outage[1],)) if outage else ("", ())
    lost_s = facts.delays.lost_by(links) if links else sum(f.time_lost_s for f in findings)
    steps = [ClaimPart(role="step", text=f.summary, evidence=list(f.evidence)) for f in findings]
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss" if any(f.kind in _OF_LOSSES for f in findings) else "neutral",
        statement=_statement(facts, findings, links, ecn, reported),
        prior=-0.2,
        steps=tuple(steps),
        weighed=(*seen, *shown, *(loss.piece for loss in ecn)),
        both_sides=False,
        independent=False,
        signs=0,
        findings=tuple(f.id for f in findings),
        time_lost_s=lost_s,
        rivals=tuple(_as_rival(d) for d in unsettled),
        missing=((RULES,) if ecn else ())
        + (() if _decides(ecn) else _merged_missing(unsettled, _asked_for(findings))),
        remedies=(REMEDY,) if ecn else (),
        refutation="a cause that explains these frames would replace this result",
        figures=((TIME_LOST, seconds_text(lost_s)),),
        ceiling=CEILING,
        attempts=links,
    )


def _as_rival(diagnosis: DiagnosisPart) -> RivalPart:
    command = diagnosis.missing[0].command if diagnosis.missing else None
    return RivalPart(
        cause=diagnosis.cause,
        title=diagnosis.title,
        status="cannot-tell",
        because=_against(diagnosis),
        command=command,
    )


def _against(diagnosis: DiagnosisPart) -> str:
    if diagnosis.contradicting:
        return diagnosis.contradicting[0]
    return diagnosis.statement.removeprefix(NOT_ESTABLISHED)


def _asked_for(findings: Sequence[Case]) -> tuple[MissingPart, ...]:
    """Lookups are no connections: what decides about them is asked for by itself."""
    lookups = [f for f in findings if f.kind == "dns-delay"]
    if not lookups:
        return MISSING
    return MISSING_OF_LOOKUPS + (MISSING if len(lookups) < len(findings) else ())


def _merged_missing(
    unsettled: Sequence[DiagnosisPart], asked_for: tuple[MissingPart, ...]
) -> tuple[MissingPart, ...]:
    """What the candidates miss first: it is more precise. A command is asked for once."""
    wanted = [m for d in unsettled for m in d.missing] + list(asked_for)
    merged: dict[str, MissingPart] = {}
    for each in wanted:
        merged.setdefault(_program(each.command), each)
    return tuple(merged.values())


def _program(command: str) -> str:
    """What a command reads: two captures are one item."""
    return "tcpdump" if command.startswith("tcpdump") else command
