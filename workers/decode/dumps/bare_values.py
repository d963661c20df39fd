"""Values that say nothing themselves: the answer to `conntrack -C`, `sysctl -n` or `cat /proc/sys/…`.

$ conntrack -C
136
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import BridgePort, CounterRow, Dump, Setting
from workers.decode.dumps.fields import numbered, whole_number

NUMBER_KIND = "number"
ALONE = "a bare number without its command: paste the command as well"
_LARGEST = 10**9 - 1
_COUNT = re.compile(r"conntrack\s{1,8}(?:-\S{1,16}\s{1,8}){0,4}(?:-C|--count)\b")
_PATHS = re.compile(r"/proc/sys/([\w.@/-]{1,200})")
_KEYS = re.compile(r"(?<=\s)[a-z][\w/-]{0,64}(?:\.[\w/@-]{1,64}){1,12}")


def read_bare_values(lines: Sequence[str], first_line: int, command: str) -> Dump | None:
    """What these lines are as the answer to `command` ("" when nobody knows it), or None."""
    values = list(numbered(lines, first_line))
    if not values:
        return None
    if "hairpin_mode" in command:
        return _hairpin_modes(values, len(lines))
    keys = _keys_of(command)
    if keys:
        return _settings(values, keys, len(lines))
    number = whole_number(values[0][1].strip(), largest=_LARGEST)
    if number is None or len(values) > 1:
        return None
    line = values[0][0]
    if _COUNT.search(command):
        return Dump("conntrack-count", len(lines), (), gauges=(CounterRow(line, None, {"entries": number}),))
    row = CounterRow(line, None, {"number": number})
    return Dump(NUMBER_KIND, len(lines), (), gauges=(row,), warnings=(ALONE,))


def _hairpin_modes(values: Sequence[tuple[int, str]], lines: int) -> Dump | None:
    """`cat /sys/devices/virtual/net/BRIDGE/brif/*/hairpin_mode`: a 0 or 1 for each port."""
    if any(text.strip() not in ("0", "1") for _, text in values):
        return None
    ports = tuple(BridgePort(number, "", "", "", text.strip() == "1") for number, text in values)
    return Dump("bridge", lines, (), bridge_ports=ports)


def _keys_of(command: str) -> list[str]:
    """The settings that the command prints without their names."""
    words = command.split()
    if "cat" in words[:3] or "==>" in words[:1]:
        return [path.replace("/", ".") for path in _PATHS.findall(command)]
    if "sysctl" in words[:2] and any(word in ("-n", "--values", "-bn", "-nb") for word in words):
        return [key.replace("/", ".") for key in _KEYS.findall(" " + command)]
    return []


def _settings(values: Sequence[tuple[int, str]], keys: Sequence[str], lines: int) -> Dump | None:
    if len(values) != len(keys):
        return None
    named = zip(values, keys, strict=True)
    settings = tuple(Setting(number, key, " ".join(text.split())) for (number, text), key in named)
    return Dump("sysctl", lines, (), settings=settings)
