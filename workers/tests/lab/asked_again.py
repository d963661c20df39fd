"""Whether a report asks for what it was given: commands of its missing evidence against the listings it read."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from workers.tests.lab.evidence import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from backend.forensics.report import Report

KIND_OF_COMMAND = {
    r"nstat\b": "nstat",
    r"conntrack -S\b": "conntrack-stats",
    r"conntrack -L\b": "conntrack-list",
    r"conntrack -E\b": "conntrack-events",
    r"iptables-save\b": "iptables-save",
    r"nft list ruleset\b": "nft-ruleset",
    r"ip neigh\b": "ip-neigh",
    r"ss -\w*l": "ss-sockets",
    r"ip -s link\b": "ip-link",
    r"ip -d link\b": "ip-link",
    r"uname -r\b": "uname",
    r"ipvsadm -Ln\b": "ipvs-services",
    r"ipvsadm -Lnc\b": "ipvs-connections",
    r"cat /proc/net/softnet_stat": "softnet-stat",
    r"cat /proc/interrupts": "interrupts",
    r"cpu\.stat": "cpu-stat",
    r"dmesg\b": "kernel-log",
}
"""What a command prints, in the words of the inputs' formats."""


def asked_again(files: tuple[Path, ...], report: Report) -> Iterator[str]:
    """Listings that every listed host gave, twice where two are asked for."""
    given = _given(files)
    for diagnosis in report.diagnoses:
        for missing in diagnosis.missing:
            for kind, times in _asked(missing.command).items():
                if given and all(kinds[kind] >= times for kinds in given.values()):
                    yield f"{diagnosis.cause} asks for {kind} ({missing.what})"


def _given(files: tuple[Path, ...]) -> dict[str, Counter[str]]:
    given: dict[str, Counter[str]] = defaultdict(Counter)
    for path in files:
        ingested = read(path)
        for dump in ingested.dumps if ingested is not None else ():
            given[dump.host or (ingested.part.host if ingested else "") or ""][dump.kind] += 1
    return given


def _asked(command: str) -> Counter[str]:
    return Counter(
        {
            kind: len(re.findall(pattern, command))
            for pattern, kind in KIND_OF_COMMAND.items()
            if re.search(pattern, command)
        }
    )
