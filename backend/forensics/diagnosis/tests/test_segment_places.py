"""Where segments were seen is said of all of them, not of the first."""

from __future__ import annotations

import pytest

from backend.forensics.captures import VantagePoint
from backend.forensics.diagnosis.segment_cases import places, where
from backend.forensics.evidence.clocks.sightings import Place
from backend.forensics.evidence.losses.segment_losses import SegmentFate
from backend.forensics.private_words import composed


def _place(name: str) -> Place:
    point = VantagePoint(0, name, "EN10MB", None, 1, 0, 0, 1, None)
    return Place(0, name, name, "any.pcap", 0, point, (0, 0))


def _fate(near: str, far: str) -> SegmentFate:
    return SegmentFate("lost between", _place(near), _place(far), ())


@pytest.mark.parametrize(
    ("nears", "said"),
    [
        (["cni0", "cni0"], "cni0"),
        (["veth1", "cni0", "cni0"], "cni0 or veth1"),
        (["a", "b", "c", "d", "e"], "a or b or c or 2 more"),
    ],
)
def test_all_places_are_named(nears: list[str], said: str) -> None:
    fates = [_fate(near, "eth0") for near in nears]
    assert composed(places(fates, "near")) == said
    assert composed(where(fates)) == f"between {said} and eth0"
