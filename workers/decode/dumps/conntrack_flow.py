"""Reads one connection-tracking line, of a listing or of an event, whatever its options."""

from __future__ import annotations

import re

from backend.forensics.dumps import ConntrackEntry, ConntrackTuple
from workers.decode.dumps.fields import canonical_address, whole_number

# `-o ktimestamp`: the only fields that hold blanks.
_KERNEL_TIMES = re.compile(r"\[(?:start|stop)=[^\]\[]{0,64}\]")
_STATE = re.compile(r"[A-Z][A-Z_0-9!]{1,15}")
_FLAG = re.compile(r"\[[A-Z_]{2,16}\]")
_LAYER_3 = ("ipv4", "ipv6")
_TUPLE_FIELDS = frozenset(("src", "dst", "sport", "dport"))


def read_flow(text: str, line: int, *, event: str = "", time_ns: int | None = None) -> ConntrackEntry | None:
    """The entry in `text` (from its protocol on), or None when any part of it is not understood."""
    words = (_KERNEL_TIMES.sub("", text) if "[sta" in text or "[sto" in text else text).split()
    if words[:1] and words[0] in _LAYER_3:
        words = words[2:]
    if len(words) < 6 or "=" in words[0] or whole_number(words[1], largest=255) is None:
        return None
    protocol, position = words[0], 2
    timeout_s = whole_number(words[position])
    position += timeout_s is not None
    state = words[position] if _STATE.fullmatch(words[position]) else ""
    position += bool(state)
    read = _read_fields(words[position:])
    if read is None:
        return None
    original, reply, flags = read
    return ConntrackEntry(line, protocol, state, timeout_s, original, reply, flags, event, time_ns)


def _read_fields(words: list[str]) -> tuple[ConntrackTuple, ConntrackTuple, tuple[str, ...]] | None:
    """Both tuples and the flags: the second `src=` begins the reply's."""
    sides: list[dict[str, str]] = []
    flags: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            if not _FLAG.fullmatch(word):
                return None
            flags.append(word[1:-1])
            continue
        if name == "src":
            sides.append({})
        if name in _TUPLE_FIELDS:
            if not sides:
                return None
            sides[-1][name] = value
    if len(sides) != 2:
        return None
    original, reply = _tuple_of(sides[0]), _tuple_of(sides[1])
    return None if original is None or reply is None else (original, reply, tuple(flags))


def _tuple_of(side: dict[str, str]) -> ConntrackTuple | None:
    """Ports are 0 where the protocol has none (ICMP)."""
    source = canonical_address(side.get("src", ""))
    destination = canonical_address(side.get("dst", ""))
    source_port = whole_number(side.get("sport", "0"), largest=65_535)
    destination_port = whole_number(side.get("dport", "0"), largest=65_535)
    if source is None or destination is None or source_port is None or destination_port is None:
        return None
    return ConntrackTuple(source, destination, source_port, destination_port)
