"""What the causes of held answers have in common: whom they concern, how one instance went, what is asked for next."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.cases.case import Case
from backend.forensics.cases.rtt_backlog import RttBacklog
from backend.forensics.diagnosis.contract import TIME_LOST, Weighed
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import counter_rise
from backend.forensics.findings import FRAMES_SHOWN, line_evidence, seconds_text
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart, RivalPart
from backend.forensics.wording import times_text

REQUEST_PATH, REPLY_PATH = "request path", "reply path"

TEXT_CAPTURES = (
    "A capture at the responder at the same time: it shows in which direction, and on which "
    "side of its vantage point, the packets waited"
)


@dataclass(frozen=True)
class Held:
    """A finding of held answers, in the words that its causes need."""

    finding: RttBacklog
    prober: str
    responder: str
    direction: str
    stalls: int
    longest: str
    partial: int
    echoes: int
    beyond: int
    period_s: float | None
    printed: bool

    @property
    def stood_still(self) -> str:
        """Whose queue it was, as far as the direction shows."""
        return {REQUEST_PATH: self.responder, REPLY_PATH: self.prober}.get(self.direction, "")

    @property
    def known(self) -> bool:
        """Whether captures of both ends show the direction."""
        return self.direction in (REQUEST_PATH, REPLY_PATH)


def read_held(case: RttBacklog) -> Held:
    """The stalls of one pair of hosts."""
    return Held(
        case,
        case.prober,
        case.responder,
        case.direction,
        case.count,
        seconds_text(case.stall_max_ms / 1e3),
        case.partial_stalls,
        case.echo_stalls,
        case.held_beyond_far_capture,
        case.period_s,
        set(case.samples_by_kind) == {"printed"},
    )


def whole(finding: Case) -> list[EvidencePart]:
    """Everything that the finding rests on."""
    return list(finding.evidence)


def one_stall(held: Held) -> tuple[ClaimPart, ...]:
    """How the longest stall went."""
    one = max(held.finding.stalls, key=lambda stall: stall.longest_ms)
    # A tool prints round trips, not when it sent: how close the answers came is not known then.
    close = "together" if one.printed else f"within {one.answers_within_ms:g} ms"
    text = (
        f"{one.samples} requests from {held.prober} were answered {close}, the "
        f"first of them {one.longest_ms:,.0f} ms later than the baseline: each waited for the rest of the stall."
    )
    shown = list(one.sent_numbers[:FRAMES_SHOWN])
    frames, lines = ([], shown) if one.printed else (shown, [])
    part = EvidencePart(input=one.input, frames=frames, lines=lines)
    return (ClaimPart(role="step", text=text, evidence=[part]),)


def kernel_answers(held: Held) -> Weighed:
    """No application takes part in a handshake or an echo."""
    return Weighed(
        0.7,
        "The delayed responses are the kernel's own: echo replies, handshakes, ACKs.",
        whole(held.finding),
        "no application is involved",
    )


def same_end(held: Held) -> Weighed:
    """The shape of a group."""
    slope = held.finding.slope_median
    text = f"RTT fell by {abs(slope):.2f} ms per ms of sending time, and the responses of a batch arrived together."
    return Weighed(
        0.5, text, whole(held.finding), "a queue that resumes releases all of its packets together"
    )


def softnet(facts: Facts, held: Held) -> list[Weighed]:
    """Counters of the receive path, where dumps hold them."""
    pieces = []
    for name, meaning in (("time_squeeze", "ran out of time"), ("dropped", "dropped packets")):
        rise = counter_rise(facts.kernel, "softnet-stat", name)
        if rise is not None and rise.by:
            text = f"/proc/net/softnet_stat: {name} +{rise.by:,} {rise.between_dumps}: the receive softirq {meaning}."
            reason = "the kernel counts that it could not process its receive queues in time"
            pieces.append(Weighed(1.2, text, line_evidence(rise.lines), reason))
    return pieces


def figures(held: Held) -> tuple[tuple[str, str], ...]:
    """For the verdict strip."""
    return (
        ("longest", held.longest),
        ("stalls", f"{held.stalls:,}"),
        ("responses delayed", f"{held.finding.samples_held:,}"),
        (TIME_LOST, seconds_text(held.finding.time_lost_s)),
    )


def held_words(held: Held) -> str:
    """``10 times, up to 138 ms``."""
    return f"{times_text(held.stalls)}, for up to {held.longest}"


def capture_at(host: str) -> MissingPart:
    """Captures of both ends."""
    return MissingPart(
        what=TEXT_CAPTURES,
        command=f"tcpdump -i any -y LINUX_SLL2 -s 96 -w responder.pcap host {host or 'PROBER'}",
    )


def application_rivals() -> tuple[RivalPart, ...]:
    """What an application's own slowness would look like."""
    return (
        RivalPart(
            cause="slow-server",
            title="Slow application",
            status="ruled-out",
            because="the kernel's own responses were delayed, too, and no application is involved",
        ),
    )
