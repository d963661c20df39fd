"""`conntrack -L -o xml` and `-E -o xml`: an entry a line.

<?xml version="1.0" encoding="utf-8"?>
<conntrack>
<flow type="new"><meta direction="original"><layer3 protonum="2" protoname="ipv4"><src>10.58.14.13</src>…</flow>
</conntrack>

Read with patterns, not with an XML reader: nothing else than conntrack's own elements is wanted, and a line that
was cut must not take the rest with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backend.forensics.dumps import ConntrackEntry, ConntrackTable, ConntrackTuple, Dump
from workers.decode.dumps.conntrack_entries import is_noise
from workers.decode.dumps.fields import canonical_address, numbered, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "conntrack-list"
_EVENT_KIND = "conntrack-events"

_FLOW = re.compile(r'\s{0,8}<flow(?: type="(?P<event>new|update|destroy)")?><meta direction="original">')
_PART = re.compile(
    r"\s{1,16}(?:<flow(?: type=\"\w{3,8}\")?>|</flow>|</?(?:meta|layer3|layer4)\b[^>]{0,80}>(?:</layer4>)?|"
    r"<(?P<name>src|dst|sport|dport|state|timeout|mark|use|id|zone|helper|packets|bytes)>[^<]{1,64}</(?P=name)>|"
    r"</?(?:counters|secctx|when)>|<(?:assured|unreplied)/>)\s*$"
)
"""A line of an entry that somebody printed over several."""
_FRAME = re.compile(r"\s{0,8}(?:<\?xml version=[^>]{1,80}\?>|</?conntrack>)\s*$")
_CLOSING = re.compile(
    r"conntrack v[\w.]{1,16} \(conntrack-tools\): \d{1,12} flow (?:entries|events) have been shown\."
)
_SIDE = re.compile(
    r'<meta direction="(?:original|reply)"><layer3[^>]{0,80}><src>(?P<source>[^<]{2,45})</src><dst>(?P<destination>'
    r'[^<]{2,45})</dst></layer3><layer4 protonum="(?P<number>\d{1,3})" protoname="(?P<protocol>[\w-]{1,16})">'
    r"(?:<sport>(?P<source_port>\d{1,5})</sport><dport>(?P<destination_port>\d{1,5})</dport>)?</layer4>"
)
# Behind its element conntrack says which program removed an entry.
_END = re.compile(r"</flow>(?: \[USERSPACE\] portid=\d{1,12})?\s*$")
_STATE = re.compile(r"<state>([A-Z_0-9!]{2,20})</state>")
_TIMEOUT = re.compile(r"<timeout>(\d{1,10})</timeout>")
_FLAGS = (("<assured/>", "ASSURED"), ("<unreplied/>", "UNREPLIED"))


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are entries."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """An entry, or what stands around all of them."""
    return bool(
        _FLOW.match(line) or _FRAME.match(line) or _CLOSING.match(line) or _PART.match(line)
    ) or is_noise(line)


def starts_anew(previous: str, line: str) -> bool:
    """The XML declaration begins a listing."""
    return bool(previous) and line.lstrip().startswith("<?xml")


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The entries; what was cut before the end of its element is not understood."""
    entries: list[ConntrackEntry] = []
    not_understood: list[int] = []
    for number, line in _entries(lines, first_line):
        if _FRAME.match(line) or _CLOSING.match(line) or is_noise(line):
            continue
        entry = _read_flow(line, number)
        if entry is None:
            not_understood.append(number)
        else:
            entries.append(entry)
    kind = _EVENT_KIND if any(entry.event for entry in entries) else KIND
    return Dump(kind, len(lines), tuple(not_understood), entries=ConntrackTable.of(entries))


def _entries(lines: Sequence[str], first_line: int) -> Iterator[tuple[int, str]]:
    """(line, text) with those entries put together that stand over several lines."""
    begun, parts = 0, list[str]()
    for number, line in numbered(lines, first_line):
        part = _PART.match(line)
        if part is None:
            yield number, line
            continue
        text = line.strip()
        if text.startswith("<flow"):
            begun, parts = number, []
        parts.append(text)
        if text == "</flow>":
            yield begun or number, "".join(parts)
            parts = []


def _read_flow(line: str, number: int) -> ConntrackEntry | None:
    flow = _FLOW.match(line)
    sides = list(_SIDE.finditer(line))
    if flow is None or len(sides) != 2 or not _END.search(line[-80:]):
        return None
    original, reply = _tuple_of(sides[0]), _tuple_of(sides[1])
    if original is None or reply is None:
        return None
    state, timeout = _STATE.search(line), _TIMEOUT.search(line)
    timeout_s = whole_number(timeout[1], largest=2**31 - 1) if timeout else None
    flags = tuple(flag for element, flag in _FLAGS if element in line)
    event = (flow["event"] or "").upper()
    return ConntrackEntry(
        number, sides[0]["protocol"], state[1] if state else "", timeout_s, original, reply, flags, event
    )


def _tuple_of(side: re.Match[str]) -> ConntrackTuple | None:
    source, destination = canonical_address(side["source"]), canonical_address(side["destination"])
    source_port = whole_number(side["source_port"] or "0", largest=65_535)
    destination_port = whole_number(side["destination_port"] or "0", largest=65_535)
    if source is None or destination is None or source_port is None or destination_port is None:
        return None
    return ConntrackTuple(source, destination, source_port, destination_port)
