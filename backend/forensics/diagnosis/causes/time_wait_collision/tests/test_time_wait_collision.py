"""Each piece of evidence counts, and each refutation refutes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from backend.forensics.analyze import analyse_evidence
from backend.forensics.dumps import ConntrackEntry, ConntrackTable, ConntrackTuple, Dump, NatRule
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import ACK, RST
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S

HOST, NODE = "192.0.2.10", "198.51.100.1"
SERVER = f"{HOST}:80"
HIT, TOTAL = 8, 48


def rule(ports: int) -> list[DumpInput]:
    text = f"-A POSTROUTING -s 10.0.0.0/24 -p tcp -j MASQUERADE --to-ports 20000-{20_000 + ports - 1}"
    found = NatRule(7, text, "POSTROUTING", "MASQUERADE", False, False, (20_000, 20_000 + ports - 1))
    return [DumpInput("iptables-save.txt", None, Dump("iptables-save", 9, (), nat_rules=(found,)))]


def listing() -> list[DumpInput]:
    """conntrack -L taken before the capture: the tuples that come again are in TIME_WAIT."""
    entries = [
        ConntrackEntry(
            number + 1,
            "tcp",
            "TIME_WAIT",
            110,
            ConntrackTuple("10.0.0.9", HOST, 1_000 + number, 80),
            ConntrackTuple(HOST, NODE, 80, 20_000 + number),
            ("ASSURED",),
        )
        for number in range(HIT)
    ]
    dump = Dump("conntrack-list", 9, (), T0_NS - S, "text", entries=ConntrackTable.of(entries))
    return [DumpInput("list.txt", None, dump)]


@dataclass(frozen=True)
class Case:
    """Ports that come round while the server holds them, as measured on Linux 6.18: the ACK after 15 µs, the retry
    after 13 ms with another port."""

    places: tuple[str, ...] = ("cni0", "eth0")
    earlier: bool = True
    reset: bool = True
    retry_ns: int = 13 * MS
    gap_s: int = 1
    acknowledges: bool = False
    syn_bytes: int = 0
    """Of data that the ACK acknowledges behind the SYN."""
    dumps: list[DumpInput] = field(default_factory=lambda: rule(64))

    def hops(self, number: int, outer_port: int) -> list[Hop]:
        source = f"10.0.0.1:{40_000 + number}"
        return [Hop("cni0", 0, source, SERVER), Hop("eth0", 20_000, f"{NODE}:{outer_port}", SERVER)]

    def diagnoses(self) -> list[DiagnosisPart]:
        capture = CaptureBuilder(places=self.places)
        for number in range(TOTAL - HIT):
            port = 20_000 + number if self.earlier else 30_000 + number
            capture.connect(T0_NS + number * 10 * MS, self.hops(number, port), isn=10_000 * (number + 1))
        for number in range(HIT):
            self._collide(capture, number)
        found = analyse_evidence([capture.build()], self.dumps, [], label="", created="", tool_version="")
        return found.report.diagnoses

    def _collide(self, capture: CaptureBuilder, number: int) -> None:
        at_ns, isn = T0_NS + self.gap_s * S + number * 50 * MS, 5_000_000 + 10_000 * number
        used = self.hops(100 + number, 20_000 + number)
        capture.syn(at_ns, used, isn=isn)
        for hop in (hop for hop in reversed(used) if hop.place in self.places):
            back_ns = at_ns + 55_000 - hop.delay_ns
            row = {"acknowledgement": isn + 1 + self.syn_bytes if self.acknowledges else 77, "sequence": 9}
            capture.packet(hop.place, back_ns, hop.destination, hop.source, tcp_flags=ACK, **row)
            if self.reset:
                capture.packet(hop.place, back_ns + 5_000, hop.source, hop.destination, tcp_flags=RST)
        capture.connect(at_ns + self.retry_ns, self.hops(100 + number, 30_500 + number), isn=isn)

    def diagnosis(self) -> DiagnosisPart:
        (found,) = [d for d in self.diagnoses() if d.cause == "time-wait-collision"]
        return found


def test_with_all_evidence_it_is_confirmed() -> None:
    found = Case().diagnosis()
    assert found.verdict == "confirmed"
    assert found.attempts_explained == HIT
    assert found.statement.startswith(f"{HIT} of {TOTAL} connections to {SERVER} reused a source port")
    assert all(rival.status != "possible" for rival in found.rivals)


@pytest.mark.parametrize(
    "changes",
    [
        {"dumps": []},
        {"earlier": False},
        {"reset": False},
        {"retry_ns": S},
        {"places": ("cni0",)},
    ],
    ids=["rule", "earlier connections", "resets", "quick retries", "outer capture"],
)
def test_less_evidence_gives_less_confidence(changes: dict[str, object]) -> None:
    assert replace(Case(), **changes).diagnosis().confidence < Case().diagnosis().confidence  # type: ignore[arg-type]


def test_with_one_vantage_point_and_no_earlier_connection_it_is_only_possible() -> None:
    found = Case(places=("cni0",), earlier=False, dumps=[]).diagnosis()
    assert found.verdict == "possible"
    assert {m.command.split()[0] for m in found.missing} == {"tcpdump", "ss", "iptables-save"}
    assert [r.cause for r in found.rivals if r.status == "cannot-tell"] == ["connection-reset"]


def test_a_listing_of_the_closed_connections_stands_in_for_packets_of_them() -> None:
    without, listed = Case(earlier=False, dumps=[]), Case(earlier=False, dumps=listing())
    assert listed.diagnosis().confidence > without.diagnosis().confidence
    assert any(p.lines for c in listed.diagnosis().claims for p in c.evidence)


@pytest.mark.parametrize(("syn_bytes", "old"), [(0, False), (56, False), (1_460, False), (20_000, True)])
def test_an_ack_that_acknowledges_the_syn_is_none_of_an_old_connection(syn_bytes: int, *, old: bool) -> None:
    """Nor is one of the data that a SYN carries (TCP Fast Open), whose SYN-ACK was lost."""
    found = Case(acknowledges=True, syn_bytes=syn_bytes).diagnoses()
    assert any(d.cause == "time-wait-collision" for d in found) is old


@pytest.mark.parametrize(("gap_s", "refuted"), [(115, False), (130, True)])
def test_what_answers_minutes_after_the_close_is_no_time_wait(gap_s: int, refuted: bool) -> None:
    found = Case(gap_s=gap_s).diagnosis()
    assert (found.confidence < 0.5) is refuted
    assert bool(found.contradicting) is refuted


def test_the_rule_is_offered_without_its_range() -> None:
    remedy = Case().diagnosis().remedies[0]
    assert remedy.command == (
        "iptables -t nat -I POSTROUTING -s 10.0.0.0/24 -p tcp -j MASQUERADE && "
        "iptables -t nat -D POSTROUTING -s 10.0.0.0/24 -p tcp -j MASQUERADE --to-ports 20000-20063"
    )
