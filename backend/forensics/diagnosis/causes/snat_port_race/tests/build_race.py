"""A race as a node shows it, made of packets and dumps, so that a test can take away or add single pieces."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from backend.forensics.analyze import analyse_evidence
from backend.forensics.captures import Capture
from backend.forensics.dumps import ConntrackEntry, ConntrackTable, ConntrackTuple, CounterRow, Dump, NatRule
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart, Report
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S

SERVER = "192.0.2.10:80"
NODE = "198.51.100.1"
LOST, TOTAL = 10, 200
RULE = "-A POSTROUTING -s 10.0.0.0/24 ! -o cni0 -j MASQUERADE"


def snat(source: str, outer_port: int) -> list[Hop]:
    return [Hop("cni0", 0, source, SERVER), Hop("eth0", 20_000, f"{NODE}:{outer_port}", SERVER)]


def start_ns(number: int) -> int:
    return T0_NS + number * 50 * MS


def race_capture(*, seen_behind: int = 0, data: tuple[int, int] = (2_000, 0), outer: bool = True) -> Capture:
    """`LOST` losers with rivals among `TOTAL` pairs of connections; `seen_behind` further SYNs get lost beyond."""
    capture = CaptureBuilder(places=("cni0", "eth0") if outer else ("cni0",))
    for number in range(TOTAL):
        source, port, isn = f"10.0.0.1:{20_000 + number}", 20_000 + number, 1_000 * (number + 1)
        if 50 <= number < 50 + LOST:
            again = snat(source, 50_000 + number)
            capture.retry(start_ns(number), snat(source, port), isn=isn, seen_at=1, again=again)
            rival = f"10.0.0.2:{port}"
            capture.connect(start_ns(number) + 1_000, snat(rival, port), isn=isn + 500_000)
        elif 100 <= number < 100 + seen_behind:
            capture.retry(start_ns(number), snat(source, port), isn=isn, seen_at=2)
        else:
            capture.connect(start_ns(number), snat(source, port), isn=isn)
    return capture.build(data=data)


def counters(rise: int, *, dropped: int | None = None) -> list[DumpInput]:
    """conntrack -S before and after; `drop` rises like `insert_failed` unless told otherwise."""
    dumps = []
    for name, failed in (("before.txt", 3), ("later.txt", 3 + rise)):
        drop = failed if dropped is None or failed == 3 else 3 + dropped
        row = CounterRow(1, 0, {"insert_failed": failed, "drop": drop, "early_drop": 0})
        at_ns = T0_NS if name == "before.txt" else T0_NS + 60 * S
        dump = Dump("conntrack-stats", 1, (), at_ns, "text", counters=(row,))
        dumps.append(DumpInput(name, None, dump))
    return dumps


def rules(*, fully_random: bool = False, text: str = RULE) -> list[DumpInput]:
    """iptables-save with one rule."""
    rule = NatRule(7, text, "POSTROUTING", "MASQUERADE", fully_random, False, None)
    return [DumpInput("iptables-save.txt", None, Dump("iptables-save", 9, (), nat_rules=(rule,)))]


def events() -> list[DumpInput]:
    """conntrack -E: the losers appear with their second SYN only."""
    entries = []
    host, _, port = SERVER.rpartition(":")
    for number in range(50, 50 + LOST):
        original = ConntrackTuple("10.0.0.1", host, 20_000 + number, int(port))
        reply = ConntrackTuple(host, NODE, int(port), 50_000 + number)
        at_ns = start_ns(number) + S
        entries.append(ConntrackEntry(number, "tcp", "SYN_SENT", 120, original, reply, (), "NEW", at_ns))
    return [
        DumpInput(
            "conntrack-E.txt", None, Dump("conntrack-events", 99, (), entries=ConntrackTable.of(entries))
        )
    ]


@dataclass(frozen=True)
class Case:
    """The evidence of one race."""

    capture: Capture = field(default_factory=race_capture)
    counters: list[DumpInput] = field(default_factory=lambda: counters(LOST))
    rules: list[DumpInput] = field(default_factory=rules)
    events: list[DumpInput] = field(default_factory=events)

    def but(self, **changes: object) -> Case:
        """The same evidence with parts replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def report(self) -> Report:
        dumps = [*self.counters, *self.rules, *self.events]
        return analyse_evidence(
            [self.capture], dumps, [], label="race", created="2026-01-01T00:00:00Z", tool_version="0"
        ).report

    def diagnosis(self) -> DiagnosisPart:
        (found,) = [d for d in self.report().diagnoses if d.cause == "snat-port-race"]
        return found
