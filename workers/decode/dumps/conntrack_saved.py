"""`conntrack -L -o save`: the entries as the options that would make them.

-A -t 110 -u SEEN_REPLY,ASSURED -s 10.58.14.13 -d 10.96.0.100 -r 10.244.1.11 -q 10.58.14.13 -p tcp --sport 10376
    --dport 443 --reply-port-src 8080 --reply-port-dst 10376 --state TIME_WAIT                      (one line)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import ConntrackEntry, ConntrackTable, ConntrackTuple, Dump
from workers.decode.dumps.conntrack_entries import is_noise, shown_count
from workers.decode.dumps.fields import canonical_address, numbered, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "conntrack-list"

_ENTRY = re.compile(r"-[AIUD] -t \d{1,10} (?:-u \S{1,200} )?-s [0-9a-fA-F.:]{2,45} -d ")
_EVENTS = {"-I": "NEW", "-A": "", "-U": "UPDATE", "-D": "DESTROY"}


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are entries."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """An entry, or what conntrack says beside them."""
    return bool(_ENTRY.match(line)) or shown_count(line) is not None or is_noise(line)


def starts_anew(previous: str, line: str) -> bool:
    """Only a second closing line shows a second listing."""
    return shown_count(previous) is not None and shown_count(line) is not None


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The entries; one without both sides is not understood."""
    entries: list[ConntrackEntry] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        if shown_count(line) is not None or is_noise(line):
            continue
        entry = _read_entry(line.split(), number) if _ENTRY.match(line) else None
        if entry is None:
            not_understood.append(number)
        else:
            entries.append(entry)
    return Dump(KIND, len(lines), tuple(not_understood), entries=ConntrackTable.of(entries))


def _read_entry(words: Sequence[str], number: int) -> ConntrackEntry | None:
    if len(words) % 2 == 0:
        return None
    options = dict(zip(words[1::2], words[2::2], strict=True))
    original = _tuple_of(options, "-s", "-d", "--sport", "--dport")
    reply = _tuple_of(options, "-r", "-q", "--reply-port-src", "--reply-port-dst")
    if original is None or reply is None or "-p" not in options:
        return None
    marks = options.get("-u", "UNSET").split(",")
    # `-u UNSET` is what this form makes of an entry that nobody answered.
    flags = ("UNREPLIED",) if marks == ["UNSET"] else tuple(marks)
    state, timeout_s = options.get("--state", ""), whole_number(options["-t"], largest=2**31 - 1)
    return ConntrackEntry(
        number, options["-p"], state, timeout_s, original, reply, flags, event=_EVENTS[words[0]]
    )


def _tuple_of(
    options: dict[str, str], source: str, destination: str, source_port: str, destination_port: str
) -> ConntrackTuple | None:
    addresses = [canonical_address(options.get(name, "")) for name in (source, destination)]
    ports = [whole_number(options.get(name, "0"), largest=65_535) for name in (source_port, destination_port)]
    if addresses[0] is None or addresses[1] is None or ports[0] is None or ports[1] is None:
        return None
    return ConntrackTuple(addresses[0], addresses[1], ports[0], ports[1])
