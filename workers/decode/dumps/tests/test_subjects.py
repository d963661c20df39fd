"""Which control group a `cpu.stat` is of."""

from __future__ import annotations

import pytest

from backend.forensics.evidence.kernel.counters import DumpInput, gather_kernel_facts
from backend.forensics.evidence.kernel.kernel_signs import counter_rise
from workers.decode.dumps import parse_dumps


def stat(throttled: int) -> str:
    return f"usage_usec {throttled * 9}\nnr_periods {throttled + 5}\nnr_throttled {throttled}\n"


A, B = "/sys/fs/cgroup/a/cpu.stat", "/sys/fs/cgroup/b/cpu.stat"


def subjects(text: str) -> list[str]:
    return [dump.subject for dump in parse_dumps(text)]


def rise(*texts: str) -> int | None:
    dumps = [DumpInput(f"{n}.txt", None, dump) for n, text in enumerate(texts) for dump in parse_dumps(text)]
    found = counter_rise(gather_kernel_facts(dumps), "cpu-stat", "nr_throttled")
    return None if found is None else found.by


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (stat(3), [""]),
        (stat(3) + stat(90), ["", "listing 2"]),
        (f"$ cat {A} {B}\n{stat(3)}{stat(90)}", [A, B]),
        (f"$ cat {A}; sleep 60; cat {A}\n{stat(3)}{stat(90)}", [A, A]),
        (f"$ cat {A}\n{stat(3)}$ cat {A}\n{stat(90)}", [A, A]),
        (f"==> {A} <==\n{stat(3)}\n==> {B} <==\n{stat(90)}", [A, B]),
        (f"$ cat /sys/fs/cgroup/*/cpu.stat\n{stat(3)}{stat(90)}", ["", "listing 2"]),
        (f"$ while true; do cat {A}; sleep 5; done\n{stat(3)}{stat(5)}{stat(9)}", [A, A, A]),
        (f"=== 2026-11-21T00:00:00Z\n{stat(3)}=== 2026-11-21T00:01:00Z\n{stat(90)}", ["", ""]),
    ],
)
def test_the_path_or_the_place_names_it(text: str, named: list[str]) -> None:
    assert subjects(text) == named


def test_two_groups_of_one_paste_are_no_series() -> None:
    assert rise(stat(3) + stat(90)) is None
    assert rise(f"$ cat {A} {B}\n{stat(3)}{stat(90)}") is None


def test_each_group_is_followed_by_itself_and_the_largest_rise_counts() -> None:
    assert rise(stat(3) + stat(90), stat(3) + stat(97)) == 7
    assert rise(f"$ cat {A} {B}\n{stat(3)}{stat(90)}", f"$ cat {A} {B}\n{stat(30)}{stat(97)}") == 27


def test_one_group_at_two_times_rises() -> None:
    assert rise(f"=== 2026-11-21T00:00:00Z\n{stat(3)}=== 2026-11-21T00:01:00Z\n{stat(90)}") == 87
    assert rise(stat(3), stat(90)) == 87
