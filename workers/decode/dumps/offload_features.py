"""`ethtool -k`: what a network card does in place of the kernel.

Features for flannel.1:
rx-checksumming: on
        tx-checksum-ip-generic: off [requested on]
        tx-checksum-ipv4: off [fixed]
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, OffloadFeature
from workers.decode.dumps.fields import numbered

KIND = "offload"

_TITLE = re.compile(r"(?:Features|Offload parameters) for (?P<interface>[^\s:]{1,15}):\s*$")
_FEATURE = re.compile(
    r"\s{0,8}(?P<name>[a-z][a-z0-9-]{1,48}): (?P<state>on|off)"
    r"(?: \[(?:(?P<fixed>fixed)|requested o\w{1,2}|not requested)\])?\s*$"
)


_CHANGED = re.compile(r"(?:Actual changes:|Could not change any device features)\s*$")
"""What `ethtool -K` answers; the features behind it are those that changed."""
_KNOWN = re.compile(
    r"\s{0,8}(?:(?:tx|rx|tcp|udp|generic|large|scatter)-[a-z0-9-]{3,45}|ntuple-filters|receive-hashing|highdma): o"
)


def _is_known(line: str) -> bool:
    return _KNOWN.match(line) is not None and _FEATURE.match(line) is not None


def recognise(head: Sequence[str]) -> float:
    """Sure when a title is there."""
    return 1.0 if any(owns_line(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """The title, which the features follow, and features by themselves: people grep them."""
    return bool(_TITLE.match(line) or _CHANGED.match(line)) or _is_known(line)


def starts_anew(previous: str, line: str) -> bool:
    """The interfaces of a node are kept together."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The features of each interface."""
    offloads: list[OffloadFeature] = []
    not_understood: list[int] = []
    interface = ""
    for number, line in numbered(lines, first_line):
        title, feature = _TITLE.match(line), _FEATURE.match(line)
        if title is not None:
            interface = title["interface"]
        elif _CHANGED.match(line):
            continue
        elif feature is None:
            not_understood.append(number)
        else:
            enabled, fixed = feature["state"] == "on", feature["fixed"] is not None
            offloads.append(OffloadFeature(number, interface, feature["name"], enabled, fixed))
    return Dump(KIND, len(lines), tuple(not_understood), offloads=tuple(offloads))
