"""Each piece of evidence counts, and each refutation refutes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from backend.forensics.analyze import analyse_evidence
from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart, Report
from backend.forensics.tests.build_capture import T0_NS, S
from backend.forensics.tests.build_pool import capture, events, rule

PORTS, LOST = 16, 10


def counters(rise: int) -> list[DumpInput]:
    dumps = []
    for name, failed, at_ns in (("before", 1, T0_NS - S), ("later", 1 + rise, T0_NS + 60 * S)):
        row = CounterRow(1, 0, {"insert_failed": failed, "drop": failed, "early_drop": 0})
        dump = Dump("conntrack-stats", 1, (), at_ns, "text", counters=(row,))
        dumps.append(DumpInput(f"{name}.txt", None, dump))
    return dumps


@dataclass(frozen=True)
class Case:
    """A rule with 16 ports, all held, and ten SYNs that found none."""

    held: int = PORTS
    cycles: int = 1
    counters: list[DumpInput] = field(default_factory=lambda: counters(LOST))
    rules: list[DumpInput] = field(default_factory=lambda: [rule(PORTS)])
    events: list[DumpInput] = field(default_factory=lambda: [events(PORTS)])

    def report(self) -> Report:
        found = capture(self.held, lost=LOST, cycles=self.cycles).build()
        dumps = [*self.counters, *self.rules, *self.events]
        return analyse_evidence([found], dumps, [], label="", created="", tool_version="").report

    def diagnoses(self) -> dict[str, DiagnosisPart]:
        return {d.cause: d for d in self.report().diagnoses}

    def diagnosis(self) -> DiagnosisPart:
        return self.diagnoses()["snat-port-exhaustion"]


def test_with_all_evidence_it_is_confirmed() -> None:
    found = Case().diagnosis()
    assert found.verdict == "confirmed"
    assert (found.attempts_explained, found.missing) == (LOST, [])
    assert f"all {PORTS} SNAT ports" in found.statement
    assert any(
        f"{LOST} SYNs lost while no port was free, insert_failed +{LOST}" in t for t in found.supporting
    )


@pytest.mark.parametrize("changes", [{"counters": []}, {"events": []}], ids=["counters", "events"])
def test_less_evidence_gives_less_confidence(changes: dict[str, list[DumpInput]]) -> None:
    assert replace(Case(), **changes).diagnosis().confidence < Case().diagnosis().confidence  # type: ignore[arg-type]


def test_a_range_that_packets_only_betray_is_possible_and_asks_for_more() -> None:
    found = Case(cycles=3, counters=[], rules=[], events=[]).diagnosis()
    assert found.verdict == "possible"
    assert {m.command.split()[0] for m in found.missing} == {"conntrack", "iptables-save"}
    assert "node-drop" in {r.cause for r in found.rivals if r.status == "possible"}


def test_flat_counters_refute_it() -> None:
    found = Case(counters=counters(0)).diagnosis()
    assert found.confidence < 0.5
    assert found.contradicting


def test_losses_while_ports_were_free_are_no_exhaustion() -> None:
    assert "snat-port-exhaustion" not in Case(held=PORTS // 2, events=[events(PORTS // 2)]).diagnoses()


def test_the_rule_is_offered_without_its_range() -> None:
    remedy = Case().diagnosis().remedies[0]
    rest = "-s 10.0.0.0/24 ! -o cni0 -p tcp -j MASQUERADE"
    assert remedy.command == (
        f"iptables -t nat -I POSTROUTING {rest} && "
        f"iptables -t nat -D POSTROUTING {rest} --to-ports 20000-{20_000 + PORTS - 1}"
    )
    assert remedy.undo
