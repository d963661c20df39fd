"""Judges in a child, and once more without the part that ended the child."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

from backend.forensics.isolation import ended_process
from backend.forensics.part_budget import Budget
from backend.limits import Limits
from workers.jobs.judge_in_child import Judged, Summary, Terms
from workers.running_part import Suspects, places_of_end
from workers.sandbox import ChildDied

log: Final = structlog.get_logger()


def judge_surviving(limits: Limits, folder: Path, in_child: Callable[[Terms], Judged]) -> Summary:
    """What `in_child` returns in the end; it works in `folder`. Raises ChildDied where no part is known to be why."""
    suspects, budget = Suspects(folder), Budget(limits.part_cpu_s)
    while True:
        without = {part: ended_process(ended_by, budget) for part, ended_by in suspects.without.items()}
        try:
            judged = in_child(Terms(limits.part_cpu_s, limits.part_memory_bytes, without))
        except ChildDied as error:
            part = suspects.blame(error.ended_by)
            if part is None:
                raise
            log.error("a process ended in a part", part=part, error=str(error), places=places_of_end(folder))
        else:
            for each in judged.broken:
                log.error("a part broke", part=each.kind, why=each.why, places=each.places)
            return judged.summary
