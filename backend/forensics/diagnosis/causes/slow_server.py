"""The server's application is slow: its kernel acknowledges the request promptly, the response comes late.

An acknowledgement without data is the kernel's alone. Between it and the first byte of the answer the request lies in
the server: in its socket's queue, or in the application and whatever that waits for. Only responses that are
slow against the same endpoint's baseline count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.slow_answer import SlowAnswer
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.measured import first_packets, frames_of
from backend.forensics.diagnosis.throttled_answers import Throttled, throttled_at
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import percent

CAUSE = "slow-server"
TITLE = "Slow application"
ALTERNATIVES: Final = (
    Alternative("Receive-queue stall", "the kernel's own answers are late at the same moments"),
    Alternative("Zero window", "the request itself waits, because the receiver does not read"),
    Alternative(
        "Credentials refreshed in each request",
        "the server calls others while it serves, and that is where the time goes",
    ),
)
PRIOR = -1.5
MIXED_CEILING = 0.5
"""Quick and late answers that take turns are how many applications are: even odds at most that something is wrong."""
THROTTLED_CEILING = 0.49
"""A process that its CPU quota throttles is slow for that reason."""
OTHERS_RATIO = 0.5
"""Share of the time from which on others that the server asked are what is slow."""

REFERENCES = (
    "RFC 9293 section 3.8.6.3: an ACK is held back for 0.5 s at most; Linux: 40 to 200 ms (include/net/tcp.h)",
    "Linux ss(8), Recv-Q of an established socket: bytes that its process has not read",
)
PROFILE = MissingPart(
    what="What the process does during a slow response: its stacks, and unread requests in its sockets",
    command="ss -tnp 'sport = :PORT' | sort -k2 -rn | head; perf record -g -p PID -- sleep 30; perf script | head -50",
)
QUOTA = ListingRequest(
    what="Whether its CPU quota throttles it: nr_throttled before and after",
    command="cat /sys/fs/cgroup/cpu.stat; sleep 60; cat /sys/fs/cgroup/cpu.stat",
    at="server",
)
AT_SERVER = MissingPart(
    what="A capture at the server that includes its upstream calls",
    command="tcpdump -i any -s 0 -w server.pcap 'tcp or udp port 53'",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per server and request with late answers."""
    return [_hypothesis(facts, f) for f in findings if isinstance(f, SlowAnswer)]


def _hypothesis(facts: Facts, finding: SlowAnswer) -> Hypothesis:
    server, mixed = finding.target, finding.severity == "info"
    at_server, throttled = finding.timed_at_server > 0, throttled_at(facts, finding)
    pieces = [
        _acknowledged(finding), *_spell(finding), *_clients(finding), *_place(finding), *_own_work(finding),
        *_sent_again(finding), *_lossy(facts, finding),
    ]  # fmt: skip
    usual = seconds_text(finding.usual_ms / 1e3)
    late = seconds_text(finding.late_median_ms / 1e3)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="stall",
        statement=(
            f"{server} had {plural(finding.count, 'request')} without network delay and answered them "
            f"after {late} (median) instead of {usual}."
        ),
        prior=PRIOR,
        steps=(_one_request(finding),),
        weighed=tuple(pieces),
        both_sides=at_server,
        independent=False,
        signs=sum(piece.weight > 0 for piece in pieces[1:]),
        findings=(finding.id,),
        time_lost_s=finding.time_lost_s,
        explains=frames_of(finding),
        rivals=_rivals(finding, throttled),
        missing=(
            _profile(server),
            *(() if throttled is not None else (QUOTA,)),
            *(() if _knows_others(finding) else (AT_SERVER,)),
        ),
        remedies=_remedies(server),
        references=REFERENCES,
        refutation="it would be refuted by requests acknowledged as late as they are answered",
        figures=(
            (TIME_LOST, seconds_text(finding.time_lost_s)),
            ("median", late),
            ("baseline", usual),
            ("late", f"{finding.count:,} of {finding.requests_total:,.0f}"),
        ),
        ceiling=_ceiling(mixed, throttled),
    )


def _ceiling(mixed: bool, throttled: Throttled | None) -> float:
    if throttled is not None and throttled.often:
        return THROTTLED_CEILING
    return MIXED_CEILING if mixed else 0.999


def _profile(server: str) -> MissingPart:
    command = PROFILE.command.replace("PORT", server.rpartition(":")[2])
    return PROFILE.model_copy(update={"command": command})


def _one_request(finding: SlowAnswer) -> ClaimPart:
    slowest = max(finding.instances, key=lambda one: one.waited_ms)
    text = (
        f"The slowest: acknowledged after {slowest.acknowledged_ms:,.1f} ms, answered after "
        f"{slowest.waited_ms:,.0f} ms."
    )
    return ClaimPart(role="step", text=text, evidence=frame_evidence(slowest.packets))


def _acknowledged(finding: SlowAnswer) -> Weighed:
    trip_ms, after_s = finding.round_trip_median_ms, finding.acknowledged_median_ms / 1e3
    network = f"; the RTT is {seconds_text(trip_ms / 1e3)}" if trip_ms is not None else ""
    late = plural(finding.count, "late request")
    text = f"{late} had been acknowledged after {seconds_text(after_s)} (median){network}."
    return Weighed(
        1.2,
        text,
        first_packets(finding),
        "the kernel had the request, and the path is fast: only the application remains",
    )


def _spell(finding: SlowAnswer) -> list[Weighed]:
    late, requests = finding.spell_late, finding.spell_requests
    if not late:
        return []
    chance = finding.spell_by_chance or 0.0
    text = (
        f"{late:,.0f} of {requests:,.0f} consecutive requests were slow, nearly none before and after them."
    )
    return [
        Weighed(1.2, text, first_packets(finding), f"by chance {chance:.0e} such intervals were expected")
    ]


def _clients(finding: SlowAnswer) -> list[Weighed]:
    clients = finding.clients_late
    if clients < 2:
        return []
    text = f"{clients:,} clients got slow responses."
    return [Weighed(0.6, text, first_packets(finding), "it does not depend on one client or its path")]


def _place(finding: SlowAnswer) -> list[Weighed]:
    near = finding.timed_at_server
    if near * 2 <= finding.count:
        return []
    text = f"{near:,} of {finding.count:,} response times were measured at the vantage point nearest to the server."
    return [Weighed(0.7, text, first_packets(finding), "the path between it and the client is excluded")]


def _knows_others(finding: SlowAnswer) -> bool:
    return finding.asked_others_median_ratio is not None


def _own_work(finding: SlowAnswer) -> list[Weighed]:
    """What the server asked others meanwhile, where its own questions were captured."""
    share = finding.asked_others_median_ratio
    if share is None:
        return []
    text = f"During slow responses the server itself waited for upstream calls {percent(share)} of the time (median)."
    if share >= OTHERS_RATIO:
        return [Weighed(-4.0, text, first_packets(finding), "its upstream is slow, not the server")]
    return [Weighed(0.7, text, first_packets(finding), "its upstream calls were captured and answered")]


def _sent_again(finding: SlowAnswer) -> list[Weighed]:
    again = finding.data_sent_again
    if again * 5 <= finding.count:
        return []
    text = f"On the connections of {again:,} of {finding.count:,} slow responses data was retransmitted."
    return [Weighed(-2.0, text, first_packets(finding), "a lost response arrives late, too")]


def _lossy(facts: Facts, finding: SlowAnswer) -> list[Weighed]:
    if not facts.quality.lossy:
        return []
    text = f"Packets are missing from the capture ({facts.quality.lost_segments:,} ACKs for uncaptured data)."
    return [Weighed(-0.5, text, first_packets(finding), "an earlier response may have been missed")]


def _loss_rival(finding: SlowAnswer) -> RivalPart:
    """An answer that is lost before it reaches the capture point comes late, too, and leaves no trace there."""
    title, again = "Responses lost and retransmitted", finding.data_sent_again
    command = "nstat -az TcpRetransSegs TcpExtTCPTimeouts"
    if again:
        because = f"data was retransmitted on the connections of {again:,} of them"
        return RivalPart(
            cause="path-loss", title=title, status="cannot-tell", because=because, command=command
        )
    if finding.timed_at_server * 2 > finding.count:
        because = "at the server's own vantage point they are first sent late"
        return RivalPart(cause="path-loss", title=title, status="ruled-out", because=because)
    if finding.spell_late:
        because = "it would have to lose these consecutive responses, and no other data of these connections"
        return RivalPart(cause="path-loss", title=title, status="ruled-out", because=because)
    because = "a response lost before this vantage point leaves no trace here"
    return RivalPart(cause="path-loss", title=title, status="cannot-tell", because=because, command=command)


def _rivals(finding: SlowAnswer, throttled: Throttled | None) -> tuple[RivalPart, ...]:
    return (
        RivalPart(
            cause="receive-queue-stall",
            title="Receive-queue stall (softirq not scheduled)",
            status="ruled-out",
            because="the requests were acknowledged promptly: they had passed the receive queue",
        ),
        _loss_rival(finding),
        _quota_rival(throttled),
    )


def _quota_rival(throttled: Throttled | None) -> RivalPart:
    cause, title = "cpu-quota-throttling", "CPU quota"
    if throttled is None:
        because = "a throttled process is as slow; cpu.stat counts it"
        return RivalPart(
            cause=cause, title=title, status="cannot-tell", because=because, command=QUOTA.command
        )
    rise = throttled.rise
    if rise.by:
        because = f"cpu.stat: nr_throttled +{rise.by:,}{throttled.of} {rise.between_dumps}"
        return RivalPart(cause=cause, title=title, status="possible", because=because)
    because = f"cpu.stat: nr_throttled did not rise {rise.between_dumps}"
    return RivalPart(cause=cause, title=title, status="ruled-out", because=because)


def _remedies(server: str) -> tuple[RemedyPart, ...]:
    port = server.rpartition(":")[2]
    proof = "responses to this request return to their baseline under the same load"
    return (
        RemedyPart(
            what=f"Find out what the process behind {server} waits for: no setting of the network helps",
            applies_to="the application",
            check=f"ss -ltnp 'sport = :{port}'",
            proof=proof,
            undo="Not needed: read-only",
            side_effect="a profiler costs a few percent of a CPU",
        ),
        RemedyPart(
            what="Set client timeouts below those of their own callers, and retry on another instance",
            applies_to="clients",
            check="the client's timeout and retries",
            proof="no caller waits longer than that",
            undo="Restore the previous timeout",
            side_effect="a retry doubles the load of a slow server: limit retries to a share of requests",
        ),
    )
