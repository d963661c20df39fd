"""Whether the times of a capture are those of a clock: out of range, set while it recorded, or made up."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.loop.compiler import compiled, together
from workers.decode.loop.records import STEPPED_AHEAD_NS, STEPPED_BACK_NS, Record


@compiled
def checked_time(state: Record, time_ns: int) -> int:
    """The time of the packet that is read next: its own, or that of the one before where its own is none (negative)."""
    together()
    frame = state.frame + 1
    if time_ns < 0:
        if state.untimed == 0:
            state.first_untimed = frame
        state.untimed += 1
        return np.int64(state.latest_ns)
    timed_before = state.frame - state.untimed
    if timed_before > 0:
        gap_ns = time_ns - state.latest_ns
        if timed_before > 1 and gap_ns != state.gap_ns:
            state.other_gaps += 1
        state.gap_ns = gap_ns
        if gap_ns < -STEPPED_BACK_NS or gap_ns > STEPPED_AHEAD_NS:
            if state.steps == 0:
                state.first_step = frame
            state.last_step = frame
            state.steps += 1
            if abs(gap_ns) > abs(state.largest_step_ns):
                state.largest_step_ns = gap_ns
    return time_ns
