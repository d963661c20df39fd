"""Entries that show by themselves that they are stale, or about to expire."""

import pytest

from backend.forensics.evidence.counters import DumpInput
from backend.forensics.evidence.tracked_states import find_countdowns, find_untranslated_entries
from workers.decode.dumps import parse_dumps

UDP = "udp 17 29 src=10.0.0.4 dst=10.96.0.10 sport={port} dport=53 {mark}src={back} dst=10.0.0.4 sport=53 dport={port}"
HALF = (
    "tcp 6 {seconds} CLOSE_WAIT src=10.0.0.4 dst=192.0.2.9 sport=4000 dport=80 src=192.0.2.9 dst=10.0.0.4 sport=80 "
    "dport=4000 [ASSURED] mark=0 use=1"
)


def listing(*lines: str) -> list[DumpInput]:
    return [DumpInput("text.txt", None, dump) for dump in parse_dumps("\n".join(lines) + "\n")]


@pytest.mark.parametrize(("mark", "stale"), [("[UNREPLIED] ", True), ("", False)])
def test_an_untranslated_entry_that_nobody_answers_beside_a_translated_one(mark: str, stale: bool) -> None:
    translated = UDP.format(port=4000, mark="", back="10.244.0.9")
    own = UDP.format(port=4001, mark=mark, back="10.96.0.10")
    found = find_untranslated_entries(listing(translated, own))
    assert [(each.target, each.translated_to, each.same_tuple) for each in found] == (
        [("10.96.0.10:53", "10.244.0.9:53", False)] if stale else []
    )
    assert not find_untranslated_entries(listing(own))


@pytest.mark.parametrize(("seconds", "counts"), [((55, 50, 44), True), ((55, 50, 59), False), ((55,), False)])
def test_a_half_closed_entry_that_counts_down(seconds: tuple[int, ...], counts: bool) -> None:
    found = find_countdowns(listing(*(HALF.format(seconds=value) for value in seconds)))
    assert [(each.first_s, each.last_s) for each in found] == ([(seconds[0], seconds[-1])] if counts else [])
