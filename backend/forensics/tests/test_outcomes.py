"""What became of connections is said in numbers, also where no rule fires."""

from __future__ import annotations

import pytest

from backend.forensics.evidence.facts import gather_facts
from backend.forensics.outcomes import describe_outcomes
from backend.forensics.packets import ACK, RST, SYN
from backend.forensics.report import OutcomesPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path
from backend.forensics.tests.build_http import HttpBuilder


def _outcomes(*, silence_s: float = 3, refused: int = 0, connect_ms: int = 1) -> OutcomesPart:
    """One unanswered SYN, `silence_s` before the end of the capture; refused ones; one that opens at its end."""
    made = CaptureBuilder(places=("eth0",))

    def path(port: int) -> list:  # type: ignore[type-arg]
        return plain_path(f"10.0.0.1:{port}", "10.0.0.2:80", "eth0")

    for number in range(refused):
        made.syn(T0_NS - S, path(6000 + number), isn=100 + number)
        made.packet(
            "eth0", T0_NS - S + MS, "10.0.0.2:80", f"10.0.0.1:{6000 + number}",
            tcp_flags=RST | ACK, acknowledgement=101 + number,
        )  # fmt: skip
    made.syn(T0_NS, path(5000), isn=5)
    end_ns = T0_NS + int(silence_s * S)
    made.syn(end_ns - connect_ms * MS, path(5001), isn=9)
    made.answer(end_ns, path(5001), isn=9)
    part = describe_outcomes(gather_facts([made.build()], []))[0]
    assert part.total == 2 + refused == sum(line.count for line in part.by_outcome)
    return part


def _counts(part: OutcomesPart) -> dict[str, int]:
    return {line.outcome: line.count for line in part.by_outcome}


def test_refused_connections_are_failed_ones() -> None:
    part = _outcomes(refused=12)
    assert _counts(part) == {"established": 1, "refused": 12, "unanswered": 1}
    assert part.failed == 13


@pytest.mark.parametrize(("silence_s", "failed"), [(0.9, 0), (1.1, 1)])
def test_a_syn_just_before_the_end_has_not_failed_yet(silence_s: float, failed: int) -> None:
    part = _outcomes(silence_s=silence_s)
    assert part.failed == failed
    assert _counts(part).get("open-at-end", 0) == 1 - failed


@pytest.mark.parametrize(
    ("open_s", "others_acknowledge", "half_open"), [(1.1, True, 3), (0.9, True, 0), (1.1, False, 0)]
)
def test_clients_that_never_acknowledge_a_syn_ack_leave_connections_half_open(
    *, open_s: float, others_acknowledge: bool, half_open: int
) -> None:
    """A flood of SYNs with forged sources; in a capture of SYNs and SYN-ACKs alone every connection looks so."""
    made = CaptureBuilder(places=("eth0",))
    for number in range(3):
        client = f"10.9.0.{number + 1}:5000"
        made.syn(T0_NS, plain_path(client, "10.0.0.2:80", "eth0"), isn=100 + number)
        made.packet(
            "eth0", T0_NS + MS, "10.0.0.2:80", client, tcp_flags=SYN | ACK, acknowledgement=101 + number
        )
    end_ns = T0_NS + MS + int(open_s * S)
    last = plain_path("10.0.0.1:5000", "10.0.0.2:80", "eth0")
    if others_acknowledge:
        made.connect(end_ns - 3 * MS, last, isn=7)
    made.syn(end_ns, plain_path("10.0.0.1:5001", "10.0.0.2:80", "eth0"), isn=8)
    part = describe_outcomes(gather_facts([made.build()], []))[0]
    assert _counts(part).get("half-open", 0) == half_open == part.failed


@pytest.mark.parametrize(("connect_ms", "slow"), [(490, 0), (510, 1)])
def test_what_took_half_a_second_is_slow(connect_ms: int, slow: int) -> None:
    part = _outcomes(connect_ms=connect_ms)
    assert part.slow == slow == len(part.slowest)


def _requests(ends: list[str]) -> OutcomesPart:
    """One request a connection, and what came of it."""
    made = HttpBuilder()
    for number, end in enumerate(ends):
        client, took = (
            f"10.0.0.1:{5000 + number}",
            {"silent": None, "reset": None, "slow": 600.0}.get(end, 3.0),
        )
        status = {"error": 503, "missing": 404}.get(end, 200)
        if took is None:
            made.exchange(100.0 * number, client, "10.0.0.2:80", took_ms=None)
        else:
            made.exchange(100.0 * number, client, "10.0.0.2:80", took_ms=took, status=status)
        if end == "reset":
            at_ns = T0_NS + (100 * number + 9) * MS
            made.packets.packet("veth", at_ns, "10.0.0.2:80", client, tcp_flags=RST | ACK)
    made.exchange(100.0 * len(ends) + 2_000, "10.0.0.1:4000", "10.0.0.9:80", took_ms=3.0)
    parts = {part.what: part for part in describe_outcomes(gather_facts([made.build()], []))}
    return parts["requests"]


@pytest.mark.parametrize(
    ("end", "outcome", "failed", "slow"),
    [
        ("fine", "answered", 0, 0),
        ("slow", "answered", 0, 3),
        ("missing", "client-error", 0, 0),
        ("error", "server-error", 3, 0),
        ("reset", "reset", 3, 0),
        ("silent", "unanswered", 3, 0),
    ],
)
def test_requests_by_what_became_of_them(end: str, outcome: str, failed: int, slow: int) -> None:
    part = _requests([end] * 3)
    counts = _counts(part)
    assert counts.pop("answered", 0) == (4 if outcome == "answered" else 1)
    assert counts == ({} if outcome == "answered" else {outcome: 3})
    assert (part.failed, part.slow, part.total) == (failed, slow, 4)
    assert [(d.destination, d.total, d.failed) for d in part.by_destination] == (
        [("10.0.0.2:80", 3, 3)] if failed else []
    )


def test_failures_name_their_destination_and_frames() -> None:
    part = _outcomes(refused=12)
    assert [(d.destination, d.total, d.failed) for d in part.by_destination] == [("10.0.0.2:80", 14, 13)]
    assert all(line.evidence for line in part.by_outcome if line.failed)


@pytest.mark.parametrize(
    ("acknowledged", "others", "counts", "delays"),
    [
        (True, True, {"established": 2}, 1),
        (False, True, {"established": 1, "unanswered": 1}, 0),
        (False, False, {"established": 1}, 1),
    ],
)
def test_an_answer_that_the_client_never_got_opened_nothing(
    acknowledged: bool, others: bool, counts: dict[str, int], delays: int
) -> None:
    """Each SYN is answered on the uplink; only an acknowledgement shows that an answer arrived, where the capture
    holds acknowledgements at all."""
    made, path = CaptureBuilder(places=("eth0",)), plain_path("10.0.0.1:5000", "10.0.0.2:80", "eth0")
    if others:
        made.connect(T0_NS - S, plain_path("10.0.0.1:6000", "10.0.0.2:80", "eth0"), isn=7)
    for number in range(3):
        made.syn(T0_NS + number * S, path, isn=5)
        made.packet(
            "eth0", T0_NS + number * S + MS, "10.0.0.2:80", "10.0.0.1:5000",
            tcp_flags=SYN | ACK, sequence=90, acknowledgement=6,
        )  # fmt: skip
    if acknowledged:
        made.packet("eth0", T0_NS + 2 * S + 2 * MS, "10.0.0.1:5000", "10.0.0.2:80", tcp_flags=ACK, sequence=6)
    made.packet("eth0", T0_NS + 9 * S, "10.0.0.7:1", "10.0.0.8:2", tcp_flags=ACK, sequence=6)
    facts = gather_facts([made.build()], [])
    assert _counts(describe_outcomes(facts)[0]) == counts
    assert [a.connect_delay_s is not None for a in facts.attempts.retried] == [bool(delays)]
