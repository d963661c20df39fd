"""Which Kubernetes the nodes run, by what their programs or the list of nodes say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backend.forensics.evidence.kernel.counters import KernelFacts
from backend.forensics.evidence.kernel.kernel_signs import Line

_NUMBERS = re.compile(r"v(\d{1,3})\.(\d{1,3})\.(\d{1,4})")


@dataclass(frozen=True)
class NodeVersions:
    """The oldest and the newest version that a node runs; kube-proxy comes with them, and is to be within three minor
    versions of its kubelet (Kubernetes version skew policy)."""

    oldest: str
    newest: str
    line: Line
    """That shows the oldest."""

    @property
    def in_words(self) -> str:
        """``1.28.9 to 1.29.3 (nodes.txt:3)``."""
        span = self.oldest if self.oldest == self.newest else f"{self.oldest} to {self.newest}"
        return f"{span} ({self.line[0]}:{self.line[1]})"

    def all_carry(self, since: tuple[int, int]) -> bool:
        """Whether the oldest is of this minor version or later."""
        return _numbers(f"v{self.oldest}")[:2] >= since


def node_versions(kernel: KernelFacts) -> NodeVersions | None:
    """None where no dump shows. The API server's version and kubectl's are not those of the nodes."""
    versions: list[tuple[str, Line]] = []
    for each in kernel.dumps:
        said = [(row.version, row.line) for row in each.dump.component_versions if row.component == "node"]
        listed = [(row.version, row.line) for row in each.dump.cluster_nodes]
        versions += [(version, (each.input, line)) for version, line in said + listed]
    if not versions:
        return None
    versions.sort(key=lambda one: (_numbers(one[0]), one[1]))
    return NodeVersions(versions[0][0].removeprefix("v"), versions[-1][0].removeprefix("v"), versions[0][1])


def node_kernel(kernel: KernelFacts) -> tuple[str, Line] | None:
    """The release that all nodes of all lists run, None where they differ or none is stated."""
    versions = [
        (node.kernel, (each.input, node.line))
        for each in kernel.dumps
        for node in each.dump.cluster_nodes
        if node.kernel
    ]
    return versions[0] if len({release for release, _ in versions}) == 1 else None


def _numbers(version: str) -> tuple[int, ...]:
    match = _NUMBERS.match(version)
    return tuple(map(int, match.groups())) if match else (0, 0, 0)
