"""Names of addresses that a cluster, a container runtime or a hosts file states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NameSort = Literal["pod", "service", "node", "container", "host", "dns"]
"""What bears the name. ``host`` is a line of a hosts file or a name resolution block; ``dns`` an answer on the wire."""


@dataclass(frozen=True)
class AddressName:
    """One address of one object, and when it was its address."""

    line: int
    """1-based, of the object's beginning."""
    address: str
    """In its shortest form."""
    name: str
    """``namespace/pod``, ``namespace/service``, a node's, a container's or a host's name."""
    sort: NameSort
    from_ns: int | None = None
    """ns since 1970 UTC; None where the object does not state since when."""
    until_ns: int | None = None
    """None: as far as the listing knows, it still is."""
