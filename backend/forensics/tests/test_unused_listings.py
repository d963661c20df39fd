"""What was read and not used is said with the reason; what an answer rests on is not called unused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backend.forensics.analyze import analyse_evidence
from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses
from backend.forensics.dumps import CounterRow, Dump, InterfaceAddress
from backend.forensics.evidence.kernel.counters import DumpInput

LISTEN = ("TcpExtListenOverflows", "TcpExtListenDrops")


def _host(name: str, address: str, rise: int, times: int = 2) -> list[DumpInput]:
    counters = [
        Dump("nstat", 1, (), host=name, counters=(CounterRow(2, None, dict.fromkeys(LISTEN, rise * n)),))
        for n in range(times)
    ]
    own = Dump("ip-addr", 1, (), host=name, addresses=(InterfaceAddress(1, "eth0", address, 24),))
    return [DumpInput(f"{name}-{n}.txt", name, dump) for n, dump in enumerate((*counters, own))]


def _said(*dumps: DumpInput) -> list[str]:
    capture = Losses().usual(SERVER, 30).late(SERVER, 4).build()
    report = analyse_evidence([capture], dumps, [], label="x", created="2026", tool_version="0").report
    return [part.text for part in report.quality if "used" in part.text or "read once" in part.text]


def test_listings_of_a_host_that_nobody_asked_are_not_used() -> None:
    server, other = _host("server", "192.0.2.10", 4), _host("other", "203.0.113.9", 0)
    (said,) = _said(*server, *other)
    assert said.startswith("dumps of other were read and not used: they do not show")


def test_listings_of_a_client_say_so() -> None:
    (said,) = _said(*_host("server", "192.0.2.10", 4), *_host("pod", "10.0.0.1", 0))
    assert said.startswith("dumps of pod were read and not used: it is a client")


def test_one_host_leaves_nothing_to_choose() -> None:
    assert _said(*_host("server", "192.0.2.10", 4)) == []


@pytest.mark.parametrize(("times", "lines"), [(1, 1), (2, 0)])
def test_a_counter_that_was_read_once_has_no_rise(times: int, lines: int) -> None:
    said = _said(*_host("server", "192.0.2.10", 4, times))
    assert len(said) == lines
    assert all("nstat of server was read once" in text for text in said)


def test_hosts_that_fit_equally_well_are_not_called_unused() -> None:
    twins = [
        [replace(d, dump=replace(d.dump, addresses=())) for d in _host(name, "0.0.0.0", 4)[:2]]
        for name in ("one", "two")
    ]
    assert all("only where those of other hosts agree" in text for text in _said(*twins[0], *twins[1]))
