"""A bare interface number gets the name that a listing of its own host gives it, and no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from backend.forensics.analyze import analyse_evidence
from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses
from backend.forensics.dumps import Dump, Interface
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import InputPart, VantagePointPart


def of_all_interfaces(*numbers: int) -> Capture:
    capture = Losses(*(f"interface {number}" for number in numbers)).usual(SERVER, 3).build()
    points = [
        replace(point, interface_index=number)
        for point, number in zip(capture.vantage_points, numbers, strict=True)
    ]
    return replace(capture, vantage_points=tuple(points))


def ip_link(host: str, **numbers: int) -> DumpInput:
    interfaces = tuple(
        Interface(n, number, name, "", "") for n, (name, number) in enumerate(numbers.items(), 1)
    )
    return DumpInput(
        f"{host}.txt", host, Dump("ip-link", len(numbers), (), None, "unknown", interfaces=interfaces)
    )


def names(capture: Capture, dumps: Sequence[DumpInput]) -> list[str]:
    return [place.name for place in gather_facts([capture], dumps).attempts.places]


NODE = ip_link("node-1", lo=1, eth0=2, eth1=3, cni0=4)


def test_the_listing_that_holds_all_of_them_names_them() -> None:
    assert names(of_all_interfaces(2, 3), [NODE]) == ["eth0", "eth1"]
    assert names(of_all_interfaces(2, 3), [ip_link("pod", lo=1, eth0=2), NODE]) == ["eth0", "eth1"]


@pytest.mark.parametrize(
    ("numbers", "dumps"),
    [
        ((2, 7), [NODE]),  # of another host, or from before an interface was made
        ((2, 3), [NODE, ip_link("node-2", lo=1, ens5=2, ens6=3)]),  # of either host
        ((2, 3), [NODE, ip_link("node-1", lo=1, eth0=2, wg0=3)]),  # number 3 was given twice
    ],
)
def test_what_may_be_another_hosts_names_nothing(numbers: tuple[int, ...], dumps: list[DumpInput]) -> None:
    assert names(of_all_interfaces(*numbers), dumps) == [f"interface {number}" for number in numbers]


def test_one_number_fits_too_many_hosts() -> None:
    assert names(of_all_interfaces(2), [NODE]) == ["interface 2"]


def test_interfaces_with_a_name_keep_it() -> None:
    capture = Losses("uplink", "bridge").usual(SERVER, 3).build()
    assert names(capture, [NODE]) == ["uplink", "bridge"]


def test_the_files_of_a_report_show_the_same_names() -> None:
    capture = of_all_interfaces(2, 3)
    points = [
        VantagePointPart(id=f"{capture.name}#{n}", name=f"interface {n + 2}", link_type="x", packets=1)
        for n in (0, 1)
    ]
    file = InputPart(
        name=capture.name, sha256="", kind="capture", format="pcap", bytes=1, packets=6, vantage_points=points
    )
    made = analyse_evidence([capture], [NODE], [file], label="x", created="2026", tool_version="0")
    assert [point.name for point in made.report.inputs[0].vantage_points] == ["eth0", "eth1"]
