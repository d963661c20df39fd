"""Each piece of evidence counts, each refutation refutes, and a rule is named only when it can have met the SYN."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from backend.forensics.analyze import analyse_evidence
from backend.forensics.diagnosis.causes.node_drop.rules import could_drop
from backend.forensics.dumps import CounterRow, Dump, FilterRule
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S

SERVER, NODE = "192.0.2.10:80", "198.51.100.1"
LOST, TOTAL = 8, 120
RULE = 'oifname "eth0" tcp flags syn / syn,ack numgen random mod 100 < 6 drop'


def counters(rise: int) -> list[DumpInput]:
    dumps = []
    for name, failed, at_ns in (("before", 1, T0_NS - S), ("later", 1 + rise, T0_NS + 60 * S)):
        row = CounterRow(1, 0, {"insert_failed": failed, "drop": failed, "early_drop": 0})
        dump = Dump("conntrack-stats", 1, (), at_ns, "text", counters=(row,))
        dumps.append(DumpInput(f"{name}.txt", None, dump))
    return dumps


def rules(text: str = RULE, packets: int = 0) -> list[DumpInput]:
    rule = FilterRule(10, text, "ip lab", "late", "DROP", packets, 60 * packets, "nft")
    return [DumpInput("ruleset.nft", None, Dump("nft-ruleset", 12, (), filter_rules=(rule,)))]


@dataclass(frozen=True)
class Case:
    """A rule drops SYNs behind source NAT, as in a real run: no rival, the retry leaves with the same port."""

    data: tuple[int, int] = (2_000, 0)
    used: bool = False
    counters: list[DumpInput] = field(default_factory=lambda: counters(0))
    rules: list[DumpInput] = field(default_factory=rules)
    all_interfaces: bool = True
    """As `tcpdump -i any` records them: the kernel numbers them."""

    def diagnosis(self) -> DiagnosisPart:
        capture = CaptureBuilder()
        for number in range(TOTAL):
            at_ns, isn = T0_NS + number * 50 * MS, 10_000 * (number + 1)
            lost = 60 <= number < 60 + LOST
            path = hops(number - 60 if lost and self.used else number)
            if lost:
                capture.retry(at_ns, path, isn=isn, seen_at=1, gap_ns=1_025 * MS)
            else:
                capture.connect(at_ns, path, isn=isn)
        dumps = [*self.counters, *self.rules]
        built = capture.build(data=self.data)
        numbered = [
            replace(p, interface_index=p.index + 1 if self.all_interfaces else None)
            for p in built.vantage_points
        ]
        built = replace(built, vantage_points=tuple(numbered))
        found = analyse_evidence([built], dumps, [], label="", created="", tool_version="")
        (mine,) = [d for d in found.report.diagnoses if d.cause == "node-drop"]
        return mine


def hops(number: int) -> list[Hop]:
    port = 40_000 + number
    return [Hop("cni0", 0, f"10.0.0.1:{port}", SERVER), Hop("eth0", 20_000, f"{NODE}:{port}", SERVER)]


def test_with_a_rule_that_counted_it_is_confirmed() -> None:
    found = Case(rules=rules(packets=LOST)).diagnosis()
    assert found.verdict == "confirmed"
    assert found.attempts_explained == LOST
    assert RULE in " ".join(found.supporting)


def test_with_a_rule_that_counted_nothing_yet_it_is_likely() -> None:
    assert Case().diagnosis().verdict == "likely"


@pytest.mark.parametrize("changes", [{"counters": []}, {"rules": []}, {"data": (0, 0)}])
def test_less_evidence_gives_less_confidence(changes: dict[str, object]) -> None:
    full = Case(rules=rules(packets=LOST))
    assert replace(full, **changes).diagnosis().confidence < full.diagnosis().confidence  # type: ignore[arg-type]


def test_the_place_alone_leaves_it_possible_and_asks_for_the_rest() -> None:
    found = Case(counters=[], rules=[]).diagnosis()
    assert found.verdict == "possible"
    assert {m.command.split()[0] for m in found.missing} == {"conntrack", "nft", "perf"}


@pytest.mark.parametrize("used", [True, False])
def test_counters_that_rose_with_the_losses_refute_it(used: bool) -> None:
    found = Case(counters=counters(LOST), used=used).diagnosis()
    assert found.confidence < 0.5
    assert found.contradicting


def test_losses_on_used_tuples_speak_for_something_that_remembers() -> None:
    found = Case(used=True, rules=[], counters=[]).diagnosis()
    assert found.confidence < 0.5
    assert any("used by an earlier connection" in text for text in found.contradicting)


SOURCE, DESTINATION = Endpoint(0, 0xFFFF0A000001, 40_000), Endpoint(0, 0xFFFFC000020A, 80)


@pytest.mark.parametrize(
    ("text", "could"),
    [
        (RULE, True),
        ("-A FORWARD -s 10.0.0.0/24 -p tcp -m tcp --dport 80 -j DROP", True),
        ("-A FORWARD -s 10.9.0.0/24 -j DROP", False),
        ("-A FORWARD ! -s 10.9.0.0/24 -j DROP", True),
        ("-A FORWARD ! -s 10.0.0.0/24 -j DROP", False),
        ("-A FORWARD -d 192.0.2.10/32 -p tcp --dport 443 -j DROP", False),
        ("-A FORWARD -p udp -j DROP", False),
        ("-A FORWARD -m conntrack --ctstate INVALID -j DROP", False),
        ("-A FORWARD -m conntrack --ctstate INVALID,NEW -j DROP", True),
        ("ip saddr 10.0.0.0/24 ip daddr 192.0.2.10 tcp dport 80 drop", True),
        ("ip saddr != 10.0.0.0/24 drop", False),
        ("tcp dport != 80 drop", False),
        ("ct state invalid drop", False),
        ("-A FORWARD -s not-an-address -j DROP", True),
    ],
)
def test_a_rule_is_named_when_nothing_in_it_excludes_the_syn(text: str, could: bool) -> None:
    assert could_drop(text, [(SOURCE, DESTINATION)]) is could


@pytest.mark.parametrize(("all_interfaces", "elsewhere"), [(True, False), (False, True)])
def test_a_capture_of_some_interfaces_does_not_show_what_left_by_others(
    all_interfaces: bool, elsewhere: bool
) -> None:
    counted = Case(all_interfaces=all_interfaces, rules=rules(packets=LOST)).diagnosis().statement
    assert "another interface" not in counted
    statement = Case(all_interfaces=all_interfaces).diagnosis().statement
    assert ("or left by another interface" in statement) is elsewhere
