"""Entries that show by themselves that they are stale, or about to expire."""

from dataclasses import replace

import pytest

from backend.forensics.dumps.conntrack import ConntrackTable
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.tracked_states import find_countdowns, find_untranslated_entries
from workers.decode.bench.visits import CountedArray, VisitMeter, growing_faster
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


def test_each_destination_has_its_own_translated_entries() -> None:
    translated = [UDP.format(port=4000 + n, mark="", back=f"10.244.0.{n}") for n in (1, 2)]
    own = [UDP.format(port=port, mark="[UNREPLIED] ", back="10.96.0.10") for port in (4001, 4001, 4005)]
    other = [line.replace("10.96.0.10", "10.96.0.11") for line in (*own, *translated)]
    mute = own[0].replace("10.96.0.10", "10.96.0.12")
    found = find_untranslated_entries(listing(mute, *other, *translated, *own))
    assert [(each.target, each.same_tuple, len(each.lines)) for each in found] == [
        ("10.96.0.11:53", True, 3),
        ("10.96.0.10:53", True, 3),
    ]
    assert [line for _, line in found[1].lines] == [9, 7, 8]


def silent_entries(number: int) -> list[str]:
    """To as many destinations, each with a translated one beside it."""
    lines = []
    for n in range(number):
        service = f"10.{96 + n // 65536}.{n // 256 % 256}.{n % 256}"
        for port, mark, back in ((4000, "", "10.244.0.9"), (4001, "[UNREPLIED] ", service)):
            lines.append(
                UDP.format(port=port, mark=mark, back=back).replace("dst=10.96.0.10", f"dst={service}")
            )
    return lines


def count_silent_entries(number: int) -> int:
    """Elements and calls that finding them takes."""
    (only,) = listing(*silent_entries(number))
    entries = ConntrackTable(only.dump.entries.rows.view(CountedArray))
    meter = VisitMeter()
    counted = replace(only, dump=replace(only.dump, entries=entries))
    found = meter.run("entries", lambda: find_untranslated_entries([counted]))
    assert len(found) == number
    return meter.parts["entries"]


def test_the_table_is_not_searched_for_each_entry() -> None:
    few, many = (count_silent_entries(number) for number in (500, 2000))
    assert growing_faster({"entries": few}, {"entries": many}, 4, 1.2) == {}


def test_a_later_listing_shows_that_the_entry_was_made_anew() -> None:
    translated = [UDP.format(port=port, mark="", back="10.244.0.9") for port in (4000, 4001)]
    own = UDP.format(port=4001, mark="[UNREPLIED] ", back="10.96.0.10")
    stale, healed = [translated[0], own], translated
    assert len(find_untranslated_entries(at_times(stale, stale))) == 1
    assert find_untranslated_entries(at_times(stale, healed)) == []
    assert find_untranslated_entries(at_times(stale, healed)[::-1]) == []


def at_times(*listings: list[str]) -> list[DumpInput]:
    """Each of a file of its own, 3 s after the one before."""
    taken = [listing(*lines)[0] for lines in listings]
    return [
        replace(each, input=f"{n}.txt", dump=replace(each.dump, captured_at_ns=3_000_000_000 * n))
        for n, each in enumerate(taken)
    ]


OTHER = HALF.format(seconds=90).replace("CLOSE_WAIT", "TIME_WAIT").replace("4000", "4009")


@pytest.mark.parametrize(
    ("later", "gone_after_s"),
    [
        ([OTHER], [3.0]),
        ([OTHER.replace("TIME_WAIT", "CLOSE_WAIT")], [None]),  # of one state alone
        ([HALF.format(seconds=1), OTHER], [None]),
        ([HALF.format(seconds=9).replace("CLOSE_WAIT", "CLOSE"), OTHER], []),
    ],
)
@pytest.mark.parametrize("reverse", [False, True])
def test_an_entry_that_is_gone_after_its_time_has_expired(
    later: list[str], gone_after_s: list[float | None], reverse: bool
) -> None:
    listings = at_times([HALF.format(seconds=5), OTHER], [HALF.format(seconds=2), OTHER], later)
    found = find_countdowns(listings[::-1] if reverse else listings)
    assert [each.gone_after_s for each in found] == gone_after_s


def test_an_entry_that_is_gone_before_its_time_was_closed() -> None:
    listings = at_times([HALF.format(seconds=55), OTHER], [HALF.format(seconds=52), OTHER], [OTHER])
    assert [each.gone_after_s for each in find_countdowns(listings)] == [None]


@pytest.mark.parametrize(("seconds", "counts"), [((55, 50, 44), True), ((55, 50, 59), False), ((55,), False)])
def test_a_half_closed_entry_that_counts_down(seconds: tuple[int, ...], counts: bool) -> None:
    found = find_countdowns(listing(*(HALF.format(seconds=value) for value in seconds)))
    assert [(each.first_s, each.last_s) for each in found] == ([(seconds[0], seconds[-1])] if counts else [])
