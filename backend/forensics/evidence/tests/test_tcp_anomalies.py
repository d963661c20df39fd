"""Of a connection that several vantage points saw, the one that saw its segments twice tells what was sent again."""

from __future__ import annotations

import pytest

from backend.forensics.captures import Capture
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.signals import FILLED, PASSED, SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS


def seen(name: str, kinds: list[int]) -> Capture:
    """A connection begun before the capture, with one signal of each of these kinds."""
    builder = StumbleBuilder(name)
    number = builder.connection(syns=0, data_retransmissions=len(kinds))
    for at, kind in enumerate(kinds):
        builder.signal(number, (at + 1) * MS, kind, payload_bytes=1_000)
    return builder.build()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("near", "behind"),
    [
        (
            [SENT_AGAIN] * 2,
            [SENT_AGAIN | FILLED, PASSED] * 2,
        ),  # behind a loss each piece is a signal of its own
        ([SENT_AGAIN] * 2, [SENT_AGAIN]),
        ([PASSED] * 2, [PASSED]),
    ],
)
def test_segments_seen_twice_count_before_other_signals(
    near: list[int], behind: list[int], reverse: bool
) -> None:
    captures = [seen("sender.pcap", near), seen("receiver.pcap", behind)]
    anomalies = gather_facts(captures[::-1] if reverse else captures, []).anomalies
    assert {anomalies.places[place].input for place in anomalies.place} == {"sender.pcap"}
    assert anomalies.rows["kind"].tolist() == near
