"""Two connections that draw the same of a few free ports: each piece of evidence counts, each refutation refutes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from backend.forensics.analyze import analyse_evidence
from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart, Report
from backend.forensics.tests.build_capture import MS, T0_NS, S
from backend.forensics.tests.build_pool import FIRST_PORT, SERVER, capture, hops, rule

PORTS, LOST = 32, 3


def counters(rise: int) -> list[DumpInput]:
    dumps = []
    for name, failed, at_ns in (("before", 1, T0_NS - S), ("later", 1 + rise, T0_NS + 60 * S)):
        row = CounterRow(1, 0, {"insert_failed": failed, "drop": failed, "early_drop": 0})
        dumps.append(
            DumpInput(f"{name}.txt", None, Dump("conntrack-stats", 1, (), at_ns, "text", counters=(row,)))
        )
    return dumps


@dataclass(frozen=True)
class Case:
    """A range of 32 ports, 20 in use, and three SYNs that vanish while another one draws a port 30 µs away."""

    held: int = 20
    beside_ns: int | None = 30_000
    first_inner: int = 50_000
    counters: list[DumpInput] = field(default_factory=lambda: counters(LOST))
    rules: list[DumpInput] = field(default_factory=lambda: [rule(PORTS)])

    def report(self) -> Report:
        builder = capture(self.held)
        for number in range(LOST):
            at_ns, inner = T0_NS + S + number * 10 * MS, self.first_inner + 10 * number
            spare = FIRST_PORT + self.held + number
            again = hops(inner, spare)
            builder.retry(
                at_ns, hops(inner, 0), isn=90_000_000 + number, seen_at=1, gap_ns=3 * S, again=again
            )
            if self.beside_ns is not None:
                other = hops(60_000 + number, FIRST_PORT + self.held + LOST + number)
                builder.connect(at_ns + self.beside_ns, other, isn=80_000_000 + number)
        found = builder.build()
        return analyse_evidence(
            [found], [*self.counters, *self.rules], [], label="", created="", tool_version=""
        ).report

    def race(self) -> DiagnosisPart | None:
        return next((d for d in self.report().diagnoses if d.cause == "snat-port-race"), None)


def test_it_explains_its_attempts_and_names_what_would_decide() -> None:
    found = Case().race()
    assert found is not None
    # Conntrack holds a port longer than packets show: that the range was used up stays possible.
    assert (found.verdict, found.attempts_explained) == ("possible", LOST)
    assert {r.cause: r.status for r in found.rivals} == {
        "snat-port-exhaustion": "possible",
        "node-drop": "ruled-out",
    }
    assert f"3 of {Case().held + 2 * LOST} connections to {SERVER}" in found.statement
    assert len(found.statement) <= 160
    assert any("3 SYNs that were lost at the NAT, insert_failed +3" in text for text in found.supporting)
    assert found.remedies[0].command


def test_the_account_closes() -> None:
    account = Case().report().account
    assert account is not None
    assert [(line.cause, line.count) for line in account.explained] == [("snat-port-race", LOST)]
    assert account.unexplained == 0


def test_without_counters_it_is_less_sure() -> None:
    whole, less = Case(), replace(Case(), counters=[])
    assert less.race() is not None
    assert less.race().confidence <= whole.race().confidence  # type: ignore[union-attr]
    assert any("conntrack -S" in missing.command for missing in less.race().missing)  # type: ignore[union-attr]


def test_counters_that_stand_still_refute_it() -> None:
    found = replace(Case(), counters=counters(0)).race()
    assert found is None or found.confidence < 0.3


@pytest.mark.parametrize(("beside_ns", "found"), [(900_000, True), (1_100_000, False), (None, False)])
def test_the_other_connection_must_be_within_a_millisecond(beside_ns: int | None, found: bool) -> None:
    assert (replace(Case(), beside_ns=beside_ns).race() is not None) == found


@pytest.mark.parametrize(("held", "found"), [(16, True), (12, False)])
def test_half_of_the_range_must_be_in_use(held: int, found: bool) -> None:
    # Each of the others that drew a port holds it, too; the first lost SYN meets only those held before.
    race = replace(Case(), held=held).race()
    assert (race is not None and race.attempts_explained == LOST) == found


def test_without_a_rule_that_names_the_range_nothing_is_claimed() -> None:
    assert replace(Case(), rules=[rule(None)]).race() is None


def test_a_port_of_the_clients_own_inside_the_range_is_not_drawn() -> None:
    assert replace(Case(), first_inner=FIRST_PORT).race() is None
