"""What each host alone has of an incident names no wrong cause, nor does all of it in any order."""

from __future__ import annotations

import re
from collections import defaultdict
from random import Random
from typing import TYPE_CHECKING

import pytest

from workers.tests.lab.evidence import Instance, instances_below, report_on, sureness
from workers.tests.lab.incident import CONFIDENT
from workers.tests.lab.properties import SLACK, said_wrong

if TYPE_CHECKING:
    from pathlib import Path

    from backend.forensics.report import Report

SHORT = "more-idle-drop"
_KIND = re.compile(r"(node|pod|srv|server)")


def inputs_of_hosts(instance: Instance) -> dict[str, list[Path]]:
    """Captures and listings of each host: of one kind the first capture and the first listings belong together."""
    names: dict[str, list[str]] = defaultdict(list)
    found: dict[str, list[Path]] = defaultdict(list)
    for path in instance.files({"inputs": ["*.pcap", "*.txt"]}):
        match = _KIND.match(path.name)
        if match is None:
            continue
        kind = "server" if match[1] == "srv" else match[1]
        group = f"{kind} {path.suffix}"
        name = path.name.partition("-before")[0].partition("-during")[0].partition("-after")[0]
        name = name.partition("-cpu-stat")[0]
        if name not in names[group]:
            names[group].append(name)
        found[f"{kind} {names[group].index(name)}"].append(path)
    return found


def wrong_by_host(instance: Instance) -> list[str]:
    """A line for each cause >= 0.5 that is not true of the incident, for a report that depends on the order, and for a
    right cause that one host is surer of than all."""
    wrong = []
    hosts = inputs_of_hosts(instance)
    alone = {host: report_on(paths) for host, paths in sorted(hosts.items())}
    for host, report in alone.items():
        wrong += [f"{host}: {each}" for each in _said_wrong(instance, report)]
    everything = [path for paths in hosts.values() for path in paths]
    whole = report_on(everything)
    wrong += [f"all hosts: {each}" for each in _said_wrong(instance, whole)]
    surest = _right(instance, whole)
    wrong += [
        f"{host}: right {sure:.2f}, with all hosts {surest:.2f}"
        for host, report in alone.items()
        if (sure := _right(instance, report)) >= CONFIDENT and surest < sure - SLACK
    ]
    Random(1).shuffle(everything)
    again = report_on(everything)
    if (again and again.model_dump_json()) != (whole and whole.model_dump_json()):
        wrong.append("another report in another order")
    return wrong


def _right(instance: Instance, report: Report | None) -> float:
    """How sure the report is of what is true."""
    return max((sure for cause, sure in sureness(report).items() if cause in instance.right), default=0.0)


def _said_wrong(instance: Instance, report: Report | None) -> list[str]:
    return [f"{cause} {sure:.2f}" for cause, sure in said_wrong(instance, report).items()]


def test_one_host_alone_names_no_wrong_cause(extra_captures: Path) -> None:
    assert wrong_by_host(Instance(extra_captures / "lab" / SHORT)) == []


@pytest.mark.long
def test_each_host_alone_and_all_of_them_name_no_wrong_cause(extra_captures: Path) -> None:
    instances = [each for each in instances_below(extra_captures / "lab") if inputs_of_hosts(each)]
    assert instances
    assert {each.folder.name: wrong for each in instances if (wrong := wrong_by_host(each))} == {}
