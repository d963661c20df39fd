"""What was given is not asked for again: requests for listings, held against those of the host that they are about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Literal

from pydantic import Field

from backend.forensics.cases.case import Case, endpoint_of
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.counters import KernelFacts
from backend.forensics.report import DiagnosisPart, MissingPart

HostRole = Literal["server", "node", "ends", "every"]
"""Whose listings: the server's; the node's that passes packets on; both ends'; every host's, where no one is meant."""


class ListingRequest(MissingPart):
    """A request for listings of one host. The report shows it as any other."""

    at: HostRole = Field(exclude=True)


class ServerCaptureRequest(MissingPart):
    """A request for a capture at the server. The report shows it as any other."""


KIND_OF_COMMAND = {
    r"\bnstat\b": "nstat",
    r"\bconntrack -S\b": "conntrack-stats",
    r"\bconntrack -L\b": "conntrack-list",
    r"\bconntrack -E\b": "conntrack-events",
    r"\biptables-save\b": "iptables-save",
    r"\bnft list ruleset\b": "nft-ruleset",
    r"\bip neigh\b": "ip-neigh",
    r"\bss -\w*l": "ss-sockets",
    r"\bip -[sd] link\b": "ip-link",
    r"\bethtool -S\b": "ethtool-stats",
    r"\buname -r\b": "uname",
    r"\bipvsadm -Ln(?!c)\b": "ipvs-services",
    r"\bipvsadm -Lnc\b": "ipvs-connections",
    r"/proc/net/softnet_stat\b": "softnet-stat",
    r"/proc/interrupts\b": "interrupts",
    r"\bcpu\.stat\b": "cpu-stat",
    r"\bdmesg\b": "kernel-log",
}
"""The kind of listing (`Dump.kind`) that a command prints."""
TWICE = "before and after"
ENDS_MOST = 20
"""Hosts that a diagnosis is about are looked up for so many of its ends."""
_SETTING = re.compile(r"\b(?:net|kernel|vm)\.[\w.]+")


def without_given(facts: Facts, part: DiagnosisPart, findings: Sequence[Case]) -> DiagnosisPart:
    """The diagnosis without requests for what the host in question gave, and with what is left of the others."""
    about = [f for f in findings if f.id in part.findings]
    asked = part.missing
    if any(isinstance(request, ServerCaptureRequest) for request in asked) and _at_servers(facts, about):
        asked = [request for request in asked if not isinstance(request, ServerCaptureRequest)]
    kept = (_left_of(facts, request, about) if facts.kernel.dumps else request for request in asked)
    return part.model_copy(update={"missing": [request for request in kept if request is not None]})


def _at_servers(facts: Facts, about: Sequence[Case]) -> bool:
    """Whether a capture at every server of these findings was given."""
    named = {flow.destination for case in about for flow in case.flows if flow.destination}
    servers = [endpoint for end in named if (endpoint := endpoint_of(end)) is not None]
    return 0 < len(servers) <= ENDS_MOST and all(map(facts.server_captures.captured_at, servers))


def _left_of(facts: Facts, request: MissingPart, about: Sequence[Case]) -> MissingPart | None:
    command = request.command
    if not any(re.search(pattern, command) for pattern in (*KIND_OF_COMMAND, _SETTING.pattern)):
        return request
    kernels = _kernels(facts, request.at if isinstance(request, ListingRequest) else "every", about)
    least = 2 if TWICE in request.what else 1
    steps = [command] if " do " in command else re.split(r"\s*;\s*", command)
    left = [step for step in steps if not _is_given(step, steps.count(step), least, kernels)]
    while left and left[0].startswith("sleep"):
        del left[0]
    while left and left[-1].startswith("sleep"):
        del left[-1]
    if len(left) == len(steps):
        return request
    return request.model_copy(update={"command": "; ".join(left)}) if left else None


def _is_given(step: str, times: int, least: int, kernels: Sequence[KernelFacts]) -> bool:
    """Every one of these hosts gave all that the step prints, as often as it is asked for."""
    kinds = [kind for pattern, kind in KIND_OF_COMMAND.items() if re.search(pattern, step)]
    keys = _SETTING.findall(step) if step.startswith("sysctl") else []
    if not (kinds or keys) or not kernels:
        return False
    often = max(times, least)
    return all(
        all(sum(d.dump.kind == kind for d in kernel.dumps) >= often for kind in kinds)
        and all(_has_setting(kernel, key) for key in keys)
        for kernel in kernels
    )


def _has_setting(kernel: KernelFacts, key: str) -> bool:
    """`sysctl` prints a key, or all that begin with it."""
    return any(
        setting.key == key or setting.key.startswith(f"{key}.")
        for each in kernel.dumps
        for setting in each.dump.settings
    )


def _kernels(facts: Facts, at: HostRole, about: Sequence[Case]) -> list[KernelFacts]:
    """Of the hosts that are meant; where one cannot be determined, of all hosts."""
    listed = facts.listed_hosts
    everybody = [host.kernel for host in listed.hosts]
    if at == "node":
        return [facts.node] if facts.node.dumps else everybody
    if at == "every":
        return everybody
    flows = [flow for case in about for flow in case.flows]
    ends = (end for f in flows for end in ((f.destination,) if at == "server" else (f.destination, f.source)))
    named = islice(dict.fromkeys(end for end in ends if end), ENDS_MOST)
    answering = [listed.at(endpoint) for end in named if (endpoint := endpoint_of(end)) is not None]
    if not answering or not all(each.known for each in answering):
        return everybody
    return list({each.host: each.kernel for each in answering}.values())
