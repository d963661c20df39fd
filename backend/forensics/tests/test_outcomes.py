"""What became of connections is said in numbers, also where no rule fires."""

from __future__ import annotations

import pytest

from backend.forensics.evidence.facts import gather_facts
from backend.forensics.outcomes import describe_outcomes
from backend.forensics.packets import ACK, RST
from backend.forensics.report import OutcomesPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path


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


@pytest.mark.parametrize(("connect_ms", "slow"), [(490, 0), (510, 1)])
def test_what_took_half_a_second_is_slow(connect_ms: int, slow: int) -> None:
    part = _outcomes(connect_ms=connect_ms)
    assert part.slow == slow == len(part.slowest)
