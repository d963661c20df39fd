"""Children that really exhaust each limit: a sentence about that work, and the next work is done as ever."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.errors import TooCostly, UnreadableInput
from backend.limits import Limits
from workers.sandbox import Access, ChildDied, ChildPool, Notify, child_work

LIMITS = Limits(
    child_memory_bytes=256 << 20, child_cpu_s=2, child_file_bytes=1 << 20, child_answer_bytes=100_000
)
NOTHING = Access()


@pytest.fixture(scope="module")
def pool() -> Iterator[ChildPool]:
    pool = ChildPool(1, LIMITS, works=WORKS)
    yield pool
    pool.close()


def run(pool: ChildPool, work: object, *arguments: object, access: Access = NOTHING) -> object:
    return pool.run(work, arguments, notify=lambda news: None, is_wanted=lambda: True, access=access)  # type: ignore[arg-type]


@child_work()
def take_memory(count: int, notify: Notify) -> int:
    return len(bytearray(count))


@child_work()
def take_processor_time(notify: Notify) -> None:
    while True:
        pass


@child_work()
def write_file(path: Path, count: int, notify: Notify) -> int:
    return path.write_bytes(bytes(count))


@child_work()
def write_table(path: Path, notify: Notify) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"x": np.random.default_rng(1).random(1 << 20)}), path)


@child_work()
def answer(count: int, notify: Notify) -> str:
    return "x" * count


@child_work(news=str)
def tell_much(count: int, notify: Notify) -> None:
    notify("x" * count)


@child_work()
def crash(number: int, notify: Notify) -> None:
    os.kill(os.getpid(), number)


def core_and_pid(pool: ChildPool) -> tuple[int, int]:
    found = run(pool, limits_of_child)
    assert isinstance(found, tuple)
    return found


@child_work()
def limits_of_child(notify: Notify) -> tuple[int, int]:
    return resource.getrlimit(resource.RLIMIT_CORE)[1], os.getpid()


def still_works(pool: ChildPool) -> bool:
    return run(pool, answer, 3) == "xxx"


def test_memory(pool: ChildPool) -> None:
    assert run(pool, take_memory, 100 << 20) == 100 << 20
    with pytest.raises(
        TooCostly, match=r"more than 256 MiB of memory, the limit child_memory_bytes\. Nothing"
    ):
        run(pool, take_memory, 300 << 20)
    assert still_works(pool)


def test_processor_time(pool: ChildPool) -> None:
    with pytest.raises(TooCostly, match="more than 2 s of processor time, the limit child_cpu_s"):
        run(pool, take_processor_time)
    assert still_works(pool)


def test_processor_time_is_counted_for_each_work_by_itself(pool: ChildPool) -> None:
    for _ in range(3):
        assert run(pool, spin, 0.9) is None


@child_work()
def spin(seconds: float, notify: Notify) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = used.ru_utime + used.ru_stime + seconds
    while used.ru_utime + used.ru_stime < end:
        used = resource.getrusage(resource.RUSAGE_SELF)


def test_file_size(pool: ChildPool, tmp_path: Path) -> None:
    assert run(pool, write_file, tmp_path / "a", 1 << 20, access=Access(write=(tmp_path,))) == 1 << 20
    with pytest.raises(TooCostly, match="a file of more than 1,048,576 bytes, the limit child_file_bytes"):
        run(pool, write_file, tmp_path / "b", (1 << 20) + 1, access=Access(write=(tmp_path,)))
    assert (tmp_path / "b").stat().st_size <= 1 << 20
    assert still_works(pool)


def test_file_size_of_a_packet_table(tmp_path: Path) -> None:
    pool = ChildPool(1, Limits(child_file_bytes=1 << 20), works=WORKS)
    with pytest.raises(TooCostly, match="child_file_bytes"):
        run(pool, write_table, tmp_path / "a.parquet", access=Access(write=(tmp_path,)))
    pool.close()


@pytest.mark.parametrize("work", [answer, tell_much])
def test_size_of_an_answer(pool: ChildPool, work: object) -> None:
    run(pool, work, 99_000)
    with pytest.raises(TooCostly, match="an answer of more than 100,000 bytes, the limit child_answer_bytes"):
        run(pool, work, 100_001)
    assert still_works(pool)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL])
def test_a_crash_costs_that_child_alone(pool: ChildPool, number: signal.Signals) -> None:
    with pytest.raises(ChildDied, match=number.name):
        run(pool, crash, number)
    assert still_works(pool)


@pytest.mark.promise("A child leaves no core file, and nothing of it is there when the next file comes.")
def test_no_core_file_and_a_new_child_for_each_work(pool: ChildPool) -> None:
    core, before = core_and_pid(pool)
    _, after = core_and_pid(pool)
    assert (core, before != after) == (0, True)


@child_work()
def refuse(notify: Notify) -> None:
    raise UnreadableInput("no.")


def test_what_the_work_refuses_is_told_in_its_sentence(pool: ChildPool) -> None:
    with pytest.raises(UnreadableInput, match=r"^no\.$"):
        run(pool, refuse)
    assert still_works(pool)


@child_work()
def fail_with(text: str, notify: Notify) -> None:
    int(text)


@pytest.mark.promise("What a child's errors say of a file reaches no log: only where they were raised.")
def test_errors_tell_places_and_quote_nothing(pool: ChildPool) -> None:
    with pytest.raises(RuntimeError) as failed:
        run(pool, fail_with, "wJalrXUtnFEMI-a-key")
    assert "fail_with" in str(failed.value)
    assert "ValueError" in str(failed.value)
    assert "wJalrXUtn" not in str(failed.value)


WORKS = (
    fail_with,
    take_memory, take_processor_time, spin, write_file, write_table, answer, tell_much, crash, limits_of_child, refuse,
)  # fmt: skip
