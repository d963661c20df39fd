"""SYNs that a NAT with few ports loses, and SYNs that something else loses at the same rate."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from random import Random

import pytest

from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.tests.build_losses import confidence
from backend.forensics.packets import RST
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path

CAUSE = "cloud-snat-exhaustion"
PUBLIC, PRIVATE = "34.107.9.10:443", "10.9.9.10:443"
GAPS_S = (1, 2, 4, 8)
CONNECTIONS = 500

Refused = Callable[[float, list[float]], bool]
"""Whether a SYN at this time (s) is dropped; ends (s) of the tuples in use, those that are over are removed first."""


def _captured(
    refused: Refused, *, kept_s: float, lasting_s: float = 0.02, server: str = PUBLIC, every_s: float = 0.2
) -> Capture:
    """Connections one after the other; a dropped SYN is sent again after 1, 3, 7 and 15 s."""
    builder, ends, random = CaptureBuilder(places=("eth0",)), list[float](), Random(7)
    due = [(every_s * (n + random.random() / 2), n, 0) for n in range(CONNECTIONS)]
    heapq.heapify(due)
    while due:
        at_s, number, sent = heapq.heappop(due)
        while ends and ends[0] <= at_s:
            heapq.heappop(ends)
        path, isn = plain_path(f"10.0.0.1:{20_000 + number}", server, "eth0"), 1_000 * (number + 1)
        at_ns = T0_NS + int(at_s * S)
        if refused(at_s, ends):
            builder.syn(at_ns, path, isn=isn)
            if sent < len(GAPS_S):
                heapq.heappush(due, (at_s + GAPS_S[sent], number, sent + 1))
            continue
        builder.connect(at_ns, path, isn=isn)
        closed_ns = at_ns + int(lasting_s * S) + MS
        builder.packet("eth0", closed_ns, path[0].source, server, tcp_flags=RST, sequence=isn + 1)
        heapq.heappush(ends, at_s + lasting_s + kept_s)
    return builder.build()


@pytest.mark.parametrize(
    ("ports", "kept_s", "named"),
    [(64, 30, True), (64, 120, True), (128, 240, True), (45, 30, False), (90, 30, False), (64, 60, False)],
)
def test_losses_at_a_known_number_of_tuples_name_it(ports: int, kept_s: int, named: bool) -> None:
    every_s = kept_s / ports / 2
    said = confidence(CAUSE, _captured(lambda _, ends: len(ends) >= ports, kept_s=kept_s, every_s=every_s))
    assert (said >= 0.5) is named
    assert said < 0.7, "the cloud's own metric settles it"


def test_a_private_address_does_not_pass_the_clouds_nat() -> None:
    capture = _captured(lambda _, ends: len(ends) >= 64, kept_s=30, server=PRIVATE)
    assert confidence(CAUSE, capture) == 0


def test_a_server_that_takes_so_many_is_none() -> None:
    """Closed connections hold no place there."""
    capture = _captured(lambda _, ends: len(ends) >= 64, kept_s=0, lasting_s=25)
    assert confidence(CAUSE, capture) == 0


def test_where_most_tuples_are_open_the_server_may_be_the_limit() -> None:
    capture = _captured(lambda _, ends: len(ends) >= 64, kept_s=30, lasting_s=60, every_s=0.7)
    assert 0 < confidence(CAUSE, capture) < 0.5


@pytest.mark.parametrize("share", [0.02, 0.2, 0.6])
def test_loss_by_chance_is_none(share: float) -> None:
    random = Random(3)
    assert confidence(CAUSE, _captured(lambda *_: random.random() < share, kept_s=30)) == 0


def test_a_rule_from_some_moment_on_is_none() -> None:
    """Made when 64 tuples happen to be in use, and removed later."""
    assert confidence(CAUSE, _captured(lambda at_s, _: 12.8 < at_s < 40, kept_s=30)) == 0


def test_outages_that_come_again_are_none() -> None:
    assert confidence(CAUSE, _captured(lambda at_s, _: at_s % 20 < 4, kept_s=30)) == 0
