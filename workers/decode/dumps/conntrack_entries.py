"""`conntrack -L` (plain, `-o extended`, `-o id`, `-o ktimestamp`) and `/proc/net/nf_conntrack`.

    tcp      6 114 TIME_WAIT src=10.244.35.29 dst=10.16.147.226 sport=41396 dport=80
        src=10.16.147.226 dst=10.16.146.2 sport=80 dport=41396 [ASSURED] mark=0 use=1        (one line)
    ipv4     2 icmp     1 22 src=10.58.14.13 dst=10.96.0.100 type=8 code=0 id=297
        src=10.96.0.100 dst=10.58.14.13 type=0 code=0 id=297 mark=0 use=1                    (one line)
    conntrack v1.4.7 (conntrack-tools): 19 flow entries have been shown.

The closing line goes to standard error, so in a file made with `2>&1` it can stand first, and even cut an
entry in two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backend.forensics.dumps import Dump
from workers.decode.conntrack.reading import Run
from workers.decode.dumps.conntrack_lines import Entries, count_lines
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.text import Item, item_lines

KIND = "conntrack-list"
ANY_LINE = "tcp      6 114 TIME_WAIT src=192.0.2.1 dst=192.0.2.2"
"""Stands for the lines of a run."""

_ENTRY = re.compile(
    r"\s{0,8}(?:ipv[46]\s{1,8}\d{1,3}\s{1,8})?[a-z0-9-]{2,12}\s{1,8}\d{1,3}\s"
    r"[^=\[\]]{0,40}src=[0-9a-fA-F.:]{2,45} dst="
)
_SHOWN = re.compile(
    r"conntrack v[\w.]{1,16} \(conntrack-tools\): (\d{1,12}) (?:flow entries|expectations) have been shown\."
)
_NOISE = re.compile(r"nfct_labelmap_new: ")


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are entries."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """An entry, the closing line, or what conntrack complains of beside them."""
    return bool(_ENTRY.match(line) or _SHOWN.match(line) or _NOISE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """Whether an entry follows the closing line: that closed an earlier listing, unless it came first of all.

    Where the closing line stands is not sure, so only a second one decides.
    """
    return bool(_SHOWN.match(previous) and _SHOWN.match(line))


def parse(lines: Sequence[Item], first_line: int) -> Dump:
    """The entries; a line cut short or with a word nobody knows is not understood."""
    collected = Entries()
    shown: int | None = None
    for numbers, item, said in _whole_lines(lines, first_line):
        shown = said if said is not None else shown
        if isinstance(item, Run):
            collected.add_run(item)
        elif item.strip() and not _NOISE.match(item):
            collected.add_line(numbers, item)
    table, not_understood = collected.finish()
    warnings = _count_warnings(shown, len(table), not_understood)
    return Dump(KIND, count_lines(lines), not_understood, entries=table, warnings=warnings)


def _whole_lines(lines: Sequence[Item], first_line: int) -> Iterator[tuple[list[int], Item, int | None]]:
    """Numbers and text of each line and the count it stated; what the closing line cut is joined."""
    index, number = 0, first_line
    while index < len(lines):
        line, numbers = lines[index], [number]
        index, number = index + 1, number + item_lines(line)
        shown = _SHOWN.search(line) if isinstance(line, str) and "conntrack v" in line else None
        if shown is None or not isinstance(line, str):
            yield numbers, line, None
            continue
        before, after = line[: shown.start()], lines[index] if index < len(lines) else None
        if before.strip() and isinstance(after, str):
            numbers.append(number)
            before += after
            index, number = index + 1, number + 1
        yield numbers, before, int(shown[1])


def _count_warnings(shown: int | None, read: int, not_understood: Sequence[int]) -> tuple[str, ...]:
    # A listing with lines not understood says so already; a silent difference means that it was cut.
    if shown is None or shown == read or not_understood:
        return ()
    return (f"conntrack counted {shown} entries, this text holds {read}: the text is incomplete",)


def shown_count(line: str) -> int | None:
    """The number in conntrack's closing line, None of any other line."""
    match = _SHOWN.match(line)
    return int(match[1]) if match else None


def is_noise(line: str) -> bool:
    """Whether this is a complaint that says nothing of the entries."""
    return bool(_NOISE.match(line))
