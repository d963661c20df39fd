"""What the dumped settings and versions mean together. None of them proves anything alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backend.forensics.evidence.kernel.counters import KernelFacts
from backend.forensics.evidence.kernel.kernel_signs import Line, settings_of
from backend.forensics.evidence.kernel.kubernetes_versions import node_kernel

_RELEASE = re.compile(r"(\d{1,3})\.(\d{1,3})(?:\.(\d{1,4}))?")
FIXED_STABLE = {(4, 19): 140, (5, 8): 2}
"""Stable series that carry commit f0a5e4d7a594, from this release on (release mails of 2020-08-19)."""
FIXED_FROM = (5, 9)


@dataclass(frozen=True)
class IpvsSettings:
    """Values with the lines that hold them; None where no dump shows."""

    reuse_mode: tuple[int, Line] | None
    conntrack: tuple[int, Line] | None
    expire_nodest: tuple[int, Line] | None
    port_range: tuple[str, Line] | None
    kernel: tuple[str, Line] | None

    @property
    def lines(self) -> list[Line]:
        values = (self.reuse_mode, self.conntrack, self.expire_nodest)
        return [value[1] for value in values if value is not None]

    @property
    def kernel_fixed(self) -> bool | None:
        """Whether the stated release carries the fix; None when unknown. Distributions carry it back, too, so False
        is no proof, and behaviour goes before it."""
        return carries_fix(self.kernel[0]) if self.kernel else None


def carries_fix(release: str) -> bool | None:
    """By the upstream release number; None for one that cannot be read."""
    match = _RELEASE.match(release)
    if match is None:
        return None
    series, patch = (int(match[1]), int(match[2])), int(match[3] or 0)
    return series >= FIXED_FROM or patch >= FIXED_STABLE.get(series, 1 << 16)


def read_settings(kernel: KernelFacts) -> IpvsSettings:
    """The first dump that shows each; of lists of nodes the kernel that all of them run."""
    releases = ((d.input, d.dump.kernel) for d in kernel.dumps if d.dump.kernel is not None)
    return IpvsSettings(
        _number(_first(kernel, "net.ipv4.vs.conn_reuse_mode")),
        _number(_first(kernel, "net.ipv4.vs.conntrack")),
        _number(_first(kernel, "net.ipv4.vs.expire_nodest_conn")),
        _first(kernel, "net.ipv4.ip_local_port_range"),
        next(((found.release, (name, found.line)) for name, found in releases), node_kernel(kernel)),
    )


def _first(kernel: KernelFacts, key: str) -> tuple[str, Line] | None:
    return next(iter(settings_of(kernel, key)), None)


def _number(value: tuple[str, Line] | None) -> tuple[int, Line] | None:
    return (int(value[0]), value[1]) if value is not None and value[0].lstrip("-").isdigit() else None
