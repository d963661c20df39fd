"""Each piece of evidence counts, each refutation refutes, and without IPVS nothing is claimed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from backend.forensics.analyze import analyse_evidence
from backend.forensics.diagnosis.ipvs_settings import carries_fix
from backend.forensics.dumps import CounterRow, Dump, KernelVersion, RealServer, Setting, VirtualService
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S

CAUSE = "ipvs-port-reuse"
SERVICE, POD = "10.96.0.100:80", "10.244.1.11:8080"
PORTS, HIT = 60, 12


def services(address: str = "10.96.0.100") -> list[DumpInput]:
    real = RealServer(5, "10.244.1.11", 8080, "Masq", 1, 0, 355)
    found = VirtualService(4, "TCP", address, 80, "rr", real_servers=(real,))
    return [DumpInput("ipvsadm.txt", None, Dump("ipvs-services", 5, (), services=(found,)))]


def settings(mode: int = 1, conntrack: int = 1) -> list[DumpInput]:
    values = {"conn_reuse_mode": mode, "conntrack": conntrack, "expire_nodest_conn": 0}
    lines = tuple(Setting(n, f"net.ipv4.vs.{k}", str(v)) for n, (k, v) in enumerate(values.items(), start=1))
    return [DumpInput("sysctl.txt", None, Dump("sysctl", 3, (), settings=lines))]


def uname(release: str) -> list[DumpInput]:
    return [DumpInput("uname.txt", None, Dump("uname", 1, (), kernel=KernelVersion(1, release)))]


def counters(rise: int) -> list[DumpInput]:
    dumps = []
    for name, failed, at_ns in (("before", 1, T0_NS - S), ("later", 1 + rise, T0_NS + 200 * S)):
        row = CounterRow(1, 0, {"insert_failed": failed, "drop": failed})
        dump = Dump("conntrack-stats", 1, (), at_ns, "text", counters=(row,))
        dumps.append(DumpInput(f"{name}.txt", None, dump))
    return dumps


@dataclass(frozen=True)
class Case:
    """A client that cycles through 60 ports; as in a real run they are free for 18 s and retries come after 1.02 s."""

    places: tuple[str, ...] = ("vip", "cni0")
    fresh_lost: int = 0
    retry_passes: bool = True
    gap_s: int = 18
    services: list[DumpInput] = field(default_factory=services)
    settings: list[DumpInput] = field(default_factory=settings)
    counters: list[DumpInput] = field(default_factory=lambda: counters(0))
    kernel: list[DumpInput] = field(default_factory=list)

    def diagnoses(self) -> dict[str, DiagnosisPart]:
        capture = CaptureBuilder(places=self.places)
        for number in range(PORTS):
            at_ns, isn = T0_NS + number * 50 * MS, 10_000 * (number + 1)
            if number < self.fresh_lost:
                capture.retry(at_ns, hops(number), isn=isn, seen_at=1, gap_ns=1_020 * MS)
            else:
                capture.connect(at_ns, hops(number), isn=isn)
        for number in range(PORTS - HIT, PORTS):
            at_ns, isn = T0_NS + self.gap_s * S + number * 50 * MS, 5_000_000 + 10_000 * number
            self._drop(capture, number, at_ns, isn)
        capture.connect(T0_NS + 190 * S, hops(500), isn=7)
        dumps = [*self.services, *self.settings, *self.counters, *self.kernel]
        found = analyse_evidence([capture.build()], dumps, [], label="", created="", tool_version="")
        return {d.cause: d for d in found.report.diagnoses}

    def _drop(self, capture: CaptureBuilder, number: int, at_ns: int, isn: int) -> None:
        if self.retry_passes:
            capture.retry(at_ns, hops(number), isn=isn, seen_at=1, gap_ns=1_020 * MS)
            return
        for late_ns in (0, 1_020 * MS, 3_030 * MS):
            capture.syn(at_ns + late_ns, hops(number)[:1], isn=isn)

    def diagnosis(self) -> DiagnosisPart:
        return self.diagnoses()[CAUSE]


def hops(number: int) -> list[Hop]:
    """IPVS rewrites the destination and keeps the client's address and port."""
    client = f"10.58.14.13:{10_000 + number}"
    return [Hop("vip", 0, client, SERVICE), Hop("cni0", 30_000, client, POD)]


def test_with_all_evidence_it_is_confirmed() -> None:
    found = Case().diagnosis()
    assert found.verdict == "confirmed"
    assert found.attempts_explained == HIT
    assert all(rival.status == "ruled-out" for rival in found.rivals)
    assert ("InActConn", "355") in [(f.name, f.value) for f in found.figures]


@pytest.mark.parametrize(
    "changes",
    [{"services": []}, {"settings": []}, {"counters": []}, {"places": ("vip",)}],
    ids=["listing", "settings", "counters", "inner capture"],
)
def test_less_evidence_gives_less_confidence(changes: dict[str, object]) -> None:
    assert replace(Case(), **changes).diagnosis().confidence < Case().diagnosis().confidence  # type: ignore[arg-type]


def test_one_side_with_dumps_is_possible_and_asks_for_the_other_side() -> None:
    found = Case(places=("vip",)).diagnosis()
    assert found.verdict == "possible"
    assert found.confidence >= 0.5
    assert any(m.command.startswith("tcpdump") for m in found.missing)
    assert {r.cause for r in found.rivals if r.status == "possible"} == {"path-loss", "listen-overflow"}


def test_a_rule_of_the_node_is_excluded_by_the_fresh_tuples_and_not_listed_beside_it() -> None:
    told = Case().diagnoses()
    assert "node-drop" not in told
    (rule,) = [rival for rival in told[CAUSE].rivals if rival.cause == "node-drop"]
    assert (rule.status, rule.because.partition(":")[0]) == (
        "ruled-out",
        "0 of 61 SYNs on unused 5-tuples were lost",
    )


def test_of_the_nodes_rules_nothing_is_said_where_the_loss_is_not_known_to_lie_in_it() -> None:
    told = Case(places=("vip",)).diagnoses()[CAUSE]
    assert "node-drop" not in [rival.cause for rival in told.rivals]


def test_no_command_of_a_remedy_only_looks() -> None:
    for remedy in Case().diagnoses()[CAUSE].remedies:
        assert remedy.command != remedy.check
        assert "(" not in (remedy.check or "")


def test_without_any_sign_of_ipvs_it_is_not_claimed() -> None:
    found = Case(services=[], settings=[]).diagnoses()
    assert CAUSE not in found or found[CAUSE].verdict == "cannot-tell"


@pytest.mark.parametrize(
    "changes",
    [
        {"settings": settings(mode=0)},
        {"settings": settings(conntrack=0)},
        {"services": services("10.96.0.200")},
        {"retry_passes": False},
        {"fresh_lost": PORTS - HIT},
        {"gap_s": 150},
    ],
    ids=[
        "mode 0",
        "conntrack off",
        "another service",
        "retries lost",
        "fresh suffer as much",
        "gap",
    ],
)
@pytest.mark.parametrize("places", [("vip", "cni0"), ("vip",)])
def test_a_refutation_makes_it_unlikely(changes: dict[str, object], places: tuple[str, ...]) -> None:
    case = replace(Case(places=places), **changes)  # type: ignore[arg-type]
    # Where another cause explains all of these attempts, a refuted one is not shown any more.
    found = case.diagnoses().get(CAUSE)
    assert found is None or (found.contradicting and found.confidence < 0.5)


def test_failed_insertions_as_many_as_lost_syns_speak_for_conntrack_instead() -> None:
    found = Case(counters=counters(HIT)).diagnosis()
    assert found.verdict in ("possible", "cannot-tell")
    assert any("conntrack dropped them" in text for text in found.contradicting)


def test_a_kernel_with_the_fix_does_not_refute_what_packets_show() -> None:
    fixed = Case(kernel=uname("6.1.0-56-cloud-amd64")).diagnosis()
    assert fixed.confidence == Case().diagnosis().confidence
    assert any("carries the fix" in (r.versions or "") for r in fixed.remedies)


@pytest.mark.parametrize(
    ("release", "fixed"),
    [
        ("5.9.0", True),
        ("5.8.1", False),
        ("5.8.2-generic", True),
        ("4.19.139", False),
        ("4.19.140-1.el7", True),
        ("4.15.0-56-generic", False),
        ("6.18.44", True),
        ("unreadable", None),
    ],
)
def test_releases_that_carry_the_fix(release: str, fixed: bool | None) -> None:
    assert carries_fix(release) is fixed
