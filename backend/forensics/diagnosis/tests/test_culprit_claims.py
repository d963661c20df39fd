"""What listings and counters of a host say of its stalls."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.culprit_claims import culprit_claims, quota_claims, softnet_claims, who_ran
from backend.forensics.dumps import CounterRow, Dump, PacketProcess
from backend.forensics.evidence.counters import DumpInput, KernelFacts, gather_kernel_facts
from backend.forensics.evidence.culprits import StallSpan

S = 1_000_000_000


def counted(kind: str, *values: dict[str, int]) -> KernelFacts:
    dumps = []
    for number, value in enumerate(values):
        rows = tuple(CounterRow(n, None, {name: count}) for n, (name, count) in enumerate(value.items(), 1))
        dumps.append(DumpInput(f"{number}.txt", "node", Dump(kind, len(rows), (), number + 1, counters=rows)))
    return gather_kernel_facts(dumps)


def test_the_process_at_every_drain_is_a_claim_with_its_lines() -> None:
    stalls = [StallSpan(n * S, n * S + 10**8, tuple(range(n * 100 + 50, n * 100 + 60))) for n in range(6)]
    rows = tuple(
        PacketProcess(n + 2, 1, 1, "cadvisor" if n % 100 == 50 else "swapper/1", n) for n in range(600)
    )
    probe = DumpInput("probe.txt", None, Dump("packet-processes", 600, (), packet_processes=rows))
    (claim,) = culprit_claims(who_ran(stalls, gather_kernel_facts([probe])))
    assert claim.weight > 2
    assert claim.text.startswith("cadvisor was interrupted by the first held packet at 6 of 6 stalls")
    assert claim.evidence[0].lines == [52, 152, 252, 352, 452, 552]


@pytest.mark.parametrize(("after", "claims"), [(7, 0), (8, 1)])
def test_a_squeeze_counts_from_the_first_rise_on(after: int, claims: int) -> None:
    kernel = counted("softnet-stat", {"time_squeeze": 7, "dropped": 0}, {"time_squeeze": after, "dropped": 0})
    assert len(softnet_claims(kernel)) == claims


@pytest.mark.parametrize(("after", "for_it"), [(211, False), (212, True)])
def test_a_quota_speaks_for_or_against(after: int, for_it: bool) -> None:
    kernel = counted(
        "cpu-stat", {"nr_periods": 1_000, "nr_throttled": 211}, {"nr_periods": 1_600, "nr_throttled": after}
    )
    (claim,) = quota_claims(kernel)
    assert (claim.weight > 0) == for_it
    assert "600 periods" in claim.text


def test_one_listing_of_a_counter_tells_no_rise() -> None:
    assert softnet_claims(counted("softnet-stat", {"time_squeeze": 7})) == []
    assert quota_claims(counted("cpu-stat", {"nr_throttled": 7})) == []
