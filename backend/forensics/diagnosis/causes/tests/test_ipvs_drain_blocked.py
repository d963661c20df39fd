"""Each piece of evidence counts, each refutation refutes, and without the other side of IPVS nothing is claimed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from backend.forensics.analyze import analyse_evidence
from backend.forensics.dumps import Dump, Setting
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S
from backend.forensics.tests.build_ipvs import OTHER, POD, listing, through

CAUSE = "ipvs-drain-blocked"
CLIENTS = 30


@dataclass(frozen=True)
class Case:
    """Clients come back on their ports 20 s later, when their server has had weight 0 for 10 s."""

    places: tuple[str, ...] = ("vip", "cni0")
    fresh: bool = False
    mode: int | None = 0
    nodest: int | None = 0
    held_later: int | None = 60
    persistent_s: int | None = None

    def dumps(self) -> list[DumpInput]:
        zero = {POD: 0, OTHER: 1}
        dumps = [listing(T0_NS + 10 * S, zero, persistent_s=self.persistent_s)]
        if self.held_later is not None:
            dumps.append(listing(T0_NS + 40 * S, zero, self.held_later, input_name="later.txt"))
        values = {"conn_reuse_mode": self.mode, "expire_nodest_conn": self.nodest}
        lines = tuple(
            Setting(n, f"net.ipv4.vs.{k}", str(v))
            for n, (k, v) in enumerate(values.items(), start=1)
            if v is not None
        )
        return [*dumps, DumpInput("sysctl.txt", None, Dump("sysctl", 3, (), settings=lines))]

    def diagnoses(self) -> dict[str, DiagnosisPart]:
        capture = CaptureBuilder(places=self.places)
        for turn in (0, 1):
            for number in range(CLIENTS):
                client = number + (1_000 if self.fresh and turn else 0)
                at_ns = T0_NS + turn * 20 * S + number * 100 * MS
                capture.connect(at_ns, through(client), isn=10_000 * (number + 1) + 5_000_000 * turn)
        capture.connect(T0_NS + 60 * S, through(500, OTHER), isn=7)
        found = analyse_evidence([capture.build()], self.dumps(), [], label="", created="", tool_version="")
        return {d.cause: d for d in found.report.diagnoses}

    def diagnosis(self) -> DiagnosisPart:
        return self.diagnoses()[CAUSE]


def test_with_all_evidence_it_is_confirmed() -> None:
    found = Case().diagnosis()
    assert found.verdict == "confirmed"
    assert found.findings
    assert all(rival.status == "ruled-out" for rival in found.rivals)
    assert any(f"-r {POD}" in (remedy.command or "") for remedy in found.remedies)


@pytest.mark.parametrize(
    "changes", [{"mode": None}, {"held_later": None}], ids=["settings", "second listing"]
)
def test_less_evidence_gives_less_confidence(changes: dict[str, object]) -> None:
    assert replace(Case(), **changes).diagnosis().confidence < Case().diagnosis().confidence  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [{"fresh": True}, {"mode": 1, "nodest": 1, "held_later": 0, "fresh": True}],
    ids=["fresh ports", "all against"],
)
def test_a_refutation_takes_it_below_even(changes: dict[str, object]) -> None:
    assert replace(Case(), **changes).diagnosis().confidence < 0.5  # type: ignore[arg-type]


@pytest.mark.parametrize("changes", [{"mode": 1}, {"nodest": 1}, {"held_later": 0}])
def test_what_speaks_against_is_said_and_keeps_it_from_being_confirmed(changes: dict[str, object]) -> None:
    found = replace(Case(), **changes).diagnosis()  # type: ignore[arg-type]
    assert found.contradicting
    assert found.verdict != "confirmed"
    assert found.confidence < Case().diagnosis().confidence


def test_a_persistent_service_is_a_rival() -> None:
    found = Case(persistent_s=10_800).diagnosis()
    assert found.verdict == "possible"
    assert "persistence" in {r.cause for r in found.rivals if r.status == "possible"}


def test_from_behind_ipvs_alone_it_cannot_be_told() -> None:
    assert CAUSE not in Case(places=("cni0",)).diagnoses()
