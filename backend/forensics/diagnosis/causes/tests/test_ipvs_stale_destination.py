"""Each piece of evidence counts, a server that answers refutes it, and without a listing it cannot be told."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from backend.forensics.analyze import analyse_evidence
from backend.forensics.dumps import Dump, Setting
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S
from backend.forensics.tests.build_ipvs import OTHER, POD, listing, through

CAUSE = "ipvs-stale-destination"
HIT = 8
RETRIES_NS = (0, 1_020 * MS, 3_030 * MS)


@dataclass(frozen=True)
class Case:
    """A server gets weight 0 at 10 s and is gone at 30 s; from 35 s on its old clients come back."""

    unanswered: int = HIT
    swallowed: int = HIT
    removed: bool = True
    listed: bool = True
    nodest: int | None = 0
    answers_others: bool = False
    retry_passes: bool = False

    def dumps(self) -> list[DumpInput]:
        dumps = []
        if self.listed:
            dumps = [
                listing(T0_NS, {POD: 1, OTHER: 1}),
                listing(T0_NS + 10 * S, {POD: 0, OTHER: 1}, input_name="b.txt"),
            ]
        if self.listed and self.removed:
            dumps.append(listing(T0_NS + 30 * S, {OTHER: 1}, input_name="c.txt"))
        if self.nodest is not None:
            setting = Setting(1, "net.ipv4.vs.expire_nodest_conn", str(self.nodest))
            dumps.append(DumpInput("sysctl.txt", None, Dump("sysctl", 1, (), settings=(setting,))))
        return dumps

    def diagnoses(self) -> dict[str, DiagnosisPart]:
        capture = CaptureBuilder(places=("vip", "cni0"))
        for number in range(60):
            pod = POD if number < 40 else OTHER
            capture.connect(T0_NS + number * 100 * MS, through(number, pod), isn=10_000 * (number + 1))
        for number in range(self.unanswered + self.swallowed):
            at_ns, isn = T0_NS + 35 * S + number * 200 * MS, 5_000_000 + 10_000 * number
            path = through(number) if number < self.unanswered else through(number)[:1]
            if self.retry_passes:
                capture.retry(at_ns, through(number), isn=isn, seen_at=len(path), gap_ns=1_020 * MS)
                continue
            for late_ns in RETRIES_NS:
                capture.syn(at_ns + late_ns, path, isn=isn)
        if self.answers_others:
            capture.connect(T0_NS + 50 * S, through(700), isn=77)
        capture.connect(T0_NS + 60 * S, through(500, OTHER), isn=7)
        found = analyse_evidence([capture.build()], self.dumps(), [], label="", created="", tool_version="")
        return {d.cause: d for d in found.report.diagnoses}

    def diagnosis(self) -> DiagnosisPart:
        return self.diagnoses()[CAUSE]


def test_with_all_evidence_it_is_confirmed_and_takes_all_that_waited() -> None:
    found = Case().diagnosis()
    assert found.verdict == "confirmed"
    assert found.attempts_explained == 2 * HIT
    assert all(rival.status == "ruled-out" for rival in found.rivals)


@pytest.mark.parametrize(
    "changes",
    [{"unanswered": 0}, {"swallowed": 0}, {"nodest": None}],
    ids=["unanswered", "swallowed", "setting"],
)
def test_less_evidence_gives_less_confidence(changes: dict[str, object]) -> None:
    assert replace(Case(), **changes).diagnosis().confidence < Case().diagnosis().confidence  # type: ignore[arg-type]


def test_a_server_that_is_only_drained_is_not_confirmed_to_be_gone() -> None:
    found = Case(removed=False, swallowed=0).diagnosis()
    assert found.verdict != "confirmed"


@pytest.mark.parametrize(
    "changes",
    [{"answers_others": True, "swallowed": 0}, {"retry_passes": True}],
    ids=["answers", "retries pass"],
)
def test_a_refutation_takes_it_below_even(changes: dict[str, object]) -> None:
    found = replace(Case(), **changes).diagnoses()  # type: ignore[arg-type]
    assert CAUSE not in found or found[CAUSE].confidence < 0.5


@pytest.mark.parametrize(("hit", "told"), [(2, False), (3, True)])
def test_two_that_waited_are_too_few(hit: int, told: bool) -> None:
    assert (CAUSE in Case(unanswered=hit, swallowed=0).diagnoses()) == told


def test_without_a_listing_it_cannot_be_told() -> None:
    assert CAUSE not in Case(listed=False).diagnoses()
