"""Signs that a queue was filled by traffic, and was drained at the rate of a link, rather than stood still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.evidence.round_trips.far_side import FarView
from backend.forensics.evidence.round_trips.held_groups import HeldGroup

RISING: Final = "round trips rose before"
WAITED: Final = "one request before had waited, too"
BURST: Final = "a burst of the sender's own bytes came first"
ARRIVALS: Final = "other frames of the sender reached the receiver while the group waited"
SAME_QUEUE: Final = "the other groups in the output are of a queue that filled"
GENTLE: Final = "the answers came one by one at the rate of a link"


@dataclass(frozen=True)
class QueueLimits:
    """When a group counts as a queue that filled up."""

    rising_share: float = 0.5
    """The last question before the group had waited so much of the group's longest wait (ratio). At the top of a
    ramp it is 0.9 and more; between two stalls the one before has ended and it is near 0."""
    burst_times: float = 5.0
    """Bytes of the sender just before the group over the usual (ratio). Measured: 12 to 32 in a filled queue, up to
    1.4 in a stall."""
    burst_bytes: int = 10_000
    """And so many at least (bytes): seven full packets are the least that can be called a queue."""
    gentle_slope: float = -0.96
    """Round trip over time of sending (ratio). Draining FIFOs measured -0.92 to -0.94, stalls -0.997 to -1.000."""
    gentle_samples: int = 8
    """Fewer samples do not distinguish the two slopes (samples)."""
    repeated_share: float = 0.5
    """Of several groups of a pair so many must begin with a burst (ratio): one of many by accident is none."""


DEFAULT: Final = QueueLimits()


def signs(group: HeldGroup, view: FarView | None, limits: QueueLimits) -> tuple[str, ...]:
    """The signs of one group."""
    found = []
    if group.rises_before >= limits.rising_share:
        # One alone may be the end of another pause: of the other direction, or of a frame that came late for itself.
        found.append(RISING if group.rises_steadily else WAITED)
    if _is_burst(group.burst_bytes, group.usual_bytes, limits):
        found.append(BURST)
    if view is not None and _is_burst(view.burst_bytes, view.usual_bytes, limits):
        found.append(ARRIVALS)
    enough = group.exact_times and len(group.held) >= limits.gentle_samples
    if enough and group.slope >= limits.gentle_slope:
        found.append(GENTLE)
    return tuple(found)


def filled(
    groups: Sequence[HeldGroup], views: Sequence[FarView | None], limits: QueueLimits
) -> list[tuple[str, ...]]:
    """For each group of one pair the signs that count, () for a queue that stood still."""
    signs_of = [signs(group, view, limits) for group, view in zip(groups, views, strict=True)]
    bursts = [one for one in signs_of if one and set(one) <= {BURST, ARRIVALS}]
    accident = len(bursts) < limits.repeated_share * len(signs_of)
    signs_of = [() if accident and one in bursts else one for one in signs_of]
    # A listing shows no bytes: where most of its groups are of a queue that filled, so are the others.
    queues = sum(bool(one) for one in signs_of)
    if groups and groups[0].series.printed and queues >= limits.repeated_share * len(signs_of):
        return [one or (SAME_QUEUE,) for one in signs_of]
    return signs_of


def _is_burst(burst_bytes: int, usual_bytes: int, limits: QueueLimits) -> bool:
    return burst_bytes >= max(limits.burst_bytes, limits.burst_times * usual_bytes)
