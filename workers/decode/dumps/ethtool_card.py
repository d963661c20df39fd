"""`ethtool -i`, `-l`, `-g`, `-c` and `ethtool DEVICE`: driver, queues, ring buffers, link.

driver: ena
version: 5.10.0
Channel parameters for eth0:
Pre-set maximums:
Combined:       8
Current hardware settings:
Combined:       1
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CardSetting, Dump
from workers.decode.dumps.fields import numbered

KIND = "ethtool-card"

_TITLE = re.compile(
    r"(?P<what>Channel parameters|Ring parameters|Coalesce parameters|"
    r"Pause parameters|Settings) for (?P<interface>[^\s:]{1,15}):\s*$"
)
_DRIVER = re.compile(r"driver: (?P<name>[\w.-]{1,40})\s*$")
_PART = re.compile(r"(?P<part>Pre-set maximums|Current hardware settings):\s*$")
_VALUE = re.compile(r"\s{0,16}(?P<name>[A-Za-z][\w /().-]{0,60}?):\s{0,40}(?P<value>\S.{0,200})?$")
_ERROR = re.compile(
    r"(?:Cannot get device \S|netlink error: |no stats available|.{0,80}Operation not supported)"
)


def recognise(head: Sequence[str]) -> float:
    """Sure when a title is there."""
    return 1.0 if any(owns_line(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """The titles; values follow them."""
    return bool(_TITLE.match(line) or _DRIVER.match(line) or _PART.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """What belongs to one card is kept together."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The settings, named with the part they stand in."""
    settings: list[CardSetting] = []
    not_understood: list[int] = []
    interface = part = ""
    for number, line in numbered(lines, first_line):
        title, section, value = _TITLE.match(line), _PART.match(line), _VALUE.match(line)
        if title is not None:
            interface, part = title["interface"], ""
        elif section is not None:
            part = "maximum " if section["part"].startswith("Pre") else "current "
        elif value is not None:
            settings.append(
                CardSetting(number, interface, part + value["name"].strip(), (value["value"] or "").strip())
            )
        elif not _ERROR.match(line) and not (settings and line[:1] in "\t "):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), card_settings=tuple(settings))
