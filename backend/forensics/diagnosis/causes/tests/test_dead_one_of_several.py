"""One of several backends, or of several paths, that does not respond."""

from __future__ import annotations

import pytest

from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses, confidence
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path

BACKEND, PATH = "dead-backend", "dead-path"
HOST_UNREACHABLE = 1


@pytest.mark.parametrize(("failed", "opened", "said"), [(3, 40, True), (2, 40, False), (8, 4, False)])
def test_outcomes_at_once_or_never_show_one_of_several(failed: int, opened: int, said: bool) -> None:
    capture = Losses("eth0").silent(SERVER, failed).usual(SERVER, opened).build()
    assert (confidence(BACKEND, capture) > 0.3) is said
    assert confidence(BACKEND, capture) < 0.5, "a hairpin looks the same from the client"


def test_a_router_that_misses_the_host_settles_it() -> None:
    split = Losses("eth0").usual(SERVER, 1).silent(SERVER, 6)
    capture = split.told(SERVER, HOST_UNREACHABLE).usual(SERVER, 20).build()
    assert confidence(BACKEND, capture) > 0.7


@pytest.mark.parametrize(("late", "said"), [(2, True), (3, False)])
def test_retransmissions_that_pass_are_no_dead_backend(late: int, said: bool) -> None:
    capture = Losses("eth0").silent(SERVER, 8).late(SERVER, late).usual(SERVER, 40).build()
    assert (confidence(BACKEND, capture) > 0.3) is said


def test_another_client_or_another_time_is_no_dead_backend() -> None:
    other = Losses("eth0").silent(SERVER, 8, client="10.0.0.2").usual(SERVER, 40).build()
    assert confidence(BACKEND, other) == 0.0
    before = Losses("eth0").usual(SERVER, 40).silent(SERVER, 8).build()
    assert confidence(BACKEND, before) == 0.0


def _two_ways(dead: int, living: int, *, client: str = "10.0.0.1", answered_by_dead: int = 0) -> Capture:
    """SYNs that leave by eth1 and are lost, and by eth0 and are answered at once."""
    builder = CaptureBuilder(places=("cni0", "eth0", "eth1"))
    for number in range(dead + living + answered_by_dead):
        at_ns, isn = T0_NS + number * 20 * MS, 1_000 * (number + 1)
        lost = number < dead
        way = "eth1" if lost or number >= dead + living else "eth0"
        source = client if lost else "10.0.0.1"
        path = plain_path(f"{source}:{30_000 + number}", SERVER, "cni0", way)
        if not lost:
            builder.connect(at_ns, path, isn=isn)
            continue
        for gap_s in (0, 1, 3):
            builder.syn(at_ns + gap_s * S, path, isn=isn)
    return builder.build()


@pytest.mark.parametrize(("dead", "living", "named"), [(4, 40, True), (1, 40, False), (4, 4, False)])
def test_losses_behind_one_of_two_interfaces_name_the_path(dead: int, living: int, named: bool) -> None:
    assert (confidence(PATH, _two_ways(dead, living)) > 0.7) is named


def test_one_answer_by_that_interface_refutes_it() -> None:
    assert confidence(PATH, _two_ways(4, 40, answered_by_dead=1)) == 0.0


def test_a_client_that_is_never_answered_has_no_dead_path() -> None:
    assert confidence(PATH, _two_ways(4, 40, client="10.0.0.9")) == 0.0
