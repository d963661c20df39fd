"""The server ignores SYNs whose TCP timestamp is lower than one it saw from the same address before.

With `net.ipv4.tcp_tw_recycle` Linux remembered the last TSval per *address* and dropped SYNs below it for 60 s
(TCP_PAWS_MSL); behind one NAT address several hosts with clocks of their own share that memory. Removed in Linux 4.12
(commit 4396e46187ca). Counted in TcpExtPAWSPassive. RFC 7323 section 5.3 asks for the check per connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.loss_rivals import SIGNIFICANT_P, list_rivals
from backend.forensics.diagnosis.lost_syns import (
    CAPTURE_BOTH_SIDES,
    REFUTES,
    about,
    figures_of,
    hurt,
    impact_of,
    loss_evidence,
    lossy,
    of_kind,
    one_instance,
)
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import counter_rise, settings_of
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.evidence.losses.time_stamps import StampCounts
from backend.forensics.findings import line_evidence
from backend.forensics.report import RemedyPart
from backend.forensics.significance import fisher_exact_p
from backend.forensics.wording import p_text

CAUSE = "paws-or-timestamp-drop"
TITLE = "SYNs dropped for an older TCP timestamp (PAWS)"
ALTERNATIVES: Final = (
    Alternative(
        "Firewall rule",
        "every SYN of the source is dropped; here only those whose timestamp is older than one seen before",
    ),
    Alternative(
        "Server in TIME_WAIT",
        "it lasts 60 s for one tuple; here every port of the address behind NAT is concerned",
    ),
)
PRIOR = -3.0
"""Needs a server kernel older than 4.12 with a setting that was never the default."""
MIN_LOWER = 3
"""Fewer SYNs with a lower time stamp prove no rule (SYNs)."""
SETTING = "net.ipv4.tcp_tw_recycle"

REFERENCES = (
    "RFC 7323 section 5: protection against wrapped sequence numbers",
    "Linux commit 4396e46187ca (4.12): tcp: remove tcp_tw_recycle",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination whose unanswered SYNs mostly carried an older time stamp."""
    found = []
    for destination in facts.destinations:
        if destination.opened and of_kind(destination, "beyond", "one-sided"):
            stamps = facts.stamped_syns.count(destination)
            if _may_decide(stamps):
                found.append(_hypothesis(facts, findings, destination, stamps))
    return found


def _may_decide(stamps: StampCounts) -> bool:
    """Lost SYNs mostly have a lower time stamp, and most SYNs with one are lost, or more than chance explains."""
    if stamps.lower_lost < MIN_LOWER or stamps.lower_lost <= stamps.higher_lost:
        return False
    return stamps.lower_lost >= stamps.lower_passed or _chance(stamps) < SIGNIFICANT_P


def _chance(stamps: StampCounts) -> float:
    """Probability that SYNs with a lower time stamp are lost so much more often by chance."""
    if not stamps.lower_lost:
        return 1.0
    lower, higher = (stamps.lower_lost, stamps.lower_passed), (stamps.higher_lost, stamps.higher_passed)
    return fisher_exact_p((lower, higher), "greater")


def _in_words(stamps: StampCounts, p_value: float) -> str:
    return (
        f"{stamps.lower_lost:,} of {stamps.lower_lost + stamps.lower_passed:,} SYNs were lost whose TCP timestamp "
        "was lower than that of the last SYN from that address that was not lost"
        f", {stamps.higher_lost:,} of "
        f"{stamps.higher_lost + stamps.higher_passed:,} with a higher one ({p_text(p_value)})"
    )


def _hypothesis(facts: Facts, findings: Sequence[Case], d: Destination, stamps: StampCounts) -> Hypothesis:
    kernel = [*_setting(facts, d), *_counter(facts, d)]
    p_value = _chance(stamps)
    pieces = [*_stamps(d, stamps, p_value), *kernel, *lossy(facts, d)]
    agrees = any(p.weight > 0 for p in kernel)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=f"{hurt(d)} waited: the server seems to drop SYNs with a TCP timestamp older than the last.",
        prior=PRIOR,
        steps=tuple(one_instance(d)),
        weighed=tuple(pieces),
        both_sides=bool(of_kind(d, "beyond")),
        independent=agrees,
        signs=int(agrees) + int(p_value < SIGNIFICANT_P),
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=() if agrees else list_rivals(facts, d, "listen-overflow", "path-loss", "snat-port-race"),
        missing=(_SERVER, CAPTURE_BOTH_SIDES),
        remedies=_REMEDIES,
        references=REFERENCES,
        refutation="it would be refuted by SYNs with an older timestamp that are answered",
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        attempts=d.links,
    )


def _stamps(d: Destination, stamps: StampCounts, p_value: float) -> list[Weighed]:
    pieces = []
    text = f"{_in_words(stamps, p_value)}."
    if p_value < SIGNIFICANT_P:
        reason = "the timestamp decides which SYN is answered; Fisher's exact test"
        pieces.append(Weighed(2.8, text, loss_evidence(d), reason))
    else:
        pieces.append(Weighed(0.4, text, loss_evidence(d), "too few, or too similar, to exclude chance"))
    if stamps.lower_passed > stamps.lower_lost:
        text = f"{stamps.lower_passed:,} SYNs with a lower timestamp were not lost."
        pieces.append(Weighed(REFUTES, text, loss_evidence(d), "the server would drop every one of them"))
    elif stamps.lower_passed == 0:
        text = "Every SYN with a lower timestamp was lost."
        pieces.append(Weighed(0.6, text, loss_evidence(d), "the check has no exceptions"))
    return pieces


def _setting(facts: Facts, d: Destination) -> list[Weighed]:
    found = settings_of(facts.kernel_at(d.endpoint), SETTING)
    if not found:
        return []
    value, line = found[-1]
    text = f"{SETTING} = {value}."
    if value != "0":
        return [Weighed(2.5, text, line_evidence([line]), "the responsible setting, if this is the server's")]
    return [Weighed(-2.0, text, line_evidence([line]), "switched off, if this is the server's")]


def _counter(facts: Facts, d: Destination) -> list[Weighed]:
    rise = counter_rise(facts.kernel_at(d.endpoint), "nstat", "TcpExtPAWSPassive")
    if rise is None:
        return []
    text = f"TcpExtPAWSPassive +{rise.by:,} {rise.between_dumps}."
    if rise.by:
        return [Weighed(2.5, text, line_evidence(rise.lines), "each dropped SYN is counted there")]
    return [Weighed(-2.5, text, line_evidence(rise.lines), "each dropped SYN would be counted there")]


_SERVER = ListingRequest(
    what="The server's setting, kernel and counter",
    command="sysctl net.ipv4.tcp_tw_recycle; uname -r; nstat -az TcpExtPAWSPassive",
    at="server",
)
_REMEDIES = (
    RemedyPart(
        what="Disable tcp_tw_recycle on the server",
        command="sysctl -w net.ipv4.tcp_tw_recycle=0",
        applies_to="the server",
        check="sysctl net.ipv4.tcp_tw_recycle",
        proof="nstat: TcpExtPAWSPassive stops rising; SYNs with older timestamps are answered",
        undo="sysctl -w net.ipv4.tcp_tw_recycle=1",
        side_effect="more sockets stay in TIME_WAIT for their 60 s, which costs little memory",
        versions="the setting was removed in Linux 4.12",
    ),
)
