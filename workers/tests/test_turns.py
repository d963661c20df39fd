"""Whose work gets a child: investigations in turn, small work always, and no more memory than the machine has."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from backend.errors import Cancelled
from backend.limits import Limits
from workers.jobs.decode_file import costs_of
from workers.sandbox.memory import fit_to_memory
from workers.sandbox.turns import Turns

GIB = 1 << 30


@contextmanager
def waiting(turns: Turns, jobs: list[tuple[str, bool]]) -> Iterator[list[str]]:
    """Jobs that came in this order and each end as soon as they began; inside, the owners in order of their turns."""
    served: list[str] = []

    def work(owner: str, is_small: bool) -> None:
        with turns.turn(owner, is_small=is_small, is_wanted=lambda: True):
            served.append(owner)

    threads = []
    for number, job in enumerate(jobs, 1):
        threads.append(threading.Thread(target=work, args=job))
        threads[-1].start()
        while len(turns._waiting) + len(served) < number:
            pass
    yield served
    for thread in threads:
        thread.join()


@pytest.mark.promise("An investigation of many files does not hold up the file of another.")
@pytest.mark.parametrize("size", [1, 2])
def test_owners_take_turns(size: int) -> None:
    turns = Turns(size, quick=False)
    with ExitStack() as running:
        held = running.enter_context(ExitStack())
        for _ in range(size):
            held.enter_context(turns.turn("many", is_small=False, is_wanted=lambda: True))
        with waiting(turns, [*[("many", False)] * 50, ("single", False)]) as served:
            assert served == []
            held.close()
    assert served.index("single") <= size
    assert not turns._last_turn


@pytest.mark.promise("Large files never take the child that is kept for small ones.")
def test_small_work_has_a_child_of_its_own() -> None:
    turns = Turns(1, quick=True)
    with turns.turn("large", is_small=False, is_wanted=lambda: True):
        with pytest.raises(Cancelled), turns.turn("large", is_small=False, is_wanted=lambda: False):
            pass
        with (
            turns.turn("other", is_small=True, is_wanted=lambda: True),
            pytest.raises(Cancelled),
            turns.turn("third", is_small=True, is_wanted=lambda: False),
        ):
            pass
    with turns.turn("large", is_small=False, is_wanted=lambda: True):
        pass


def test_what_counts_as_small_and_how_long_it_may_take() -> None:
    limits = Limits()
    assert costs_of(limits, "i", limits.small_bytes).is_small
    assert not costs_of(limits, "i", limits.small_bytes + 1).is_small
    assert costs_of(limits, "i", 434 << 10).cpu_s == limits.child_cpu_least_s
    assert costs_of(limits, "i", 2 * GIB).cpu_s == limits.child_cpu_least_s + 2 * limits.child_cpu_s_per_gib


@pytest.mark.promise("All children together may take no more than a share of the machine's memory.")
@pytest.mark.parametrize(
    ("total_gib", "children", "each_gib"), [(24, 4, 4.8), (10, 4, 2), (64, 4, 6), (2, 4, 1)]
)
def test_memory_of_children(total_gib: int, children: int, each_gib: float) -> None:
    fitted = fit_to_memory(Limits(), children, total_gib * GIB)
    assert fitted.child_memory_bytes == int(each_gib * GIB)
    assert fitted.look_memory_bytes <= min(fitted.child_memory_bytes, 2 * GIB)
