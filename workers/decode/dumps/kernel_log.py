"""`dmesg` (plain, `-T`, `--time-format iso`, `-x`) and kernel lines of the journal and of syslog.

[   84.291095] nf_conntrack: nf_conntrack: table full, dropping packet
[Sat Nov 21 00:44:09 2026] nf_conntrack: nf_conntrack: table full, dropping packet
2026-11-21T00:44:09,553000+00:00 nf_conntrack: nf_conntrack: table full, dropping packet
Nov 21 00:44:09 node-7 kernel: nf_conntrack: nf_conntrack: table full, dropping packet
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from backend.forensics.dumps import Dump, KernelMessage
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.netfilter_log import logged_packet
from workers.decode.dumps.stated_times import stated_time_ns

KIND = "kernel-log"

_WRAPPED_MOST: Final = 80
"""Characters of what mail broke off a message."""
_LEVEL = r"(?:<\d{1,3}>|[a-z]{3,8}\s{0,4}:[a-z]{3,7}\s{0,3}: )?"
_UPTIME = re.compile(
    rf"{_LEVEL}\[\s{{0,7}}(?P<time>\d{{1,9}}\.\d{{6}})\](?:\[[\sTC\d]{{2,12}}\])? (?P<text>.*)$"
)
_WALL = re.compile(
    rf"{_LEVEL}\[(?P<time>[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} [\s\d]\d \d\d:\d\d:\d\d \d{{4}})\] (?P<text>.*)$"
)
_ISO = re.compile(
    rf"{_LEVEL}(?P<time>\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{{6}}[+-]\d\d:?\d\d) (?P<text>.*)$"
)
_SYSLOG = re.compile(
    r"(?:<\d{1,3}>)?(?P<time>[^\W\d_]{3,5}\.? [\s\d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,20}) "
    r"(?P<host>[\w.-]{1,255}) kernel: (?P<text>.*)$"
)
_OPENWRT = re.compile(
    r"(?P<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [\s\d]\d \d\d:\d\d:\d\d \d{4}) kern\.\w{3,8} kernel: (?P<text>.*)$"
)
_CUT = re.compile(r"\S{0,60} ?kernel: \[\s{0,7}(?P<time>\d{1,9}\.\d{6})\] (?P<text>.*)$")
"""A line of syslog without its beginning."""
_BARE = re.compile(
    r"\[?(?:\[\s{0,7}\d{1,9}\.\d{6}\]?\(?[\d.\[\]()]{0,40} )?(?P<text>(?:nf_conntrack: (?:nf_conntrack: )?table full|"
    r"(?:neighbour: |ipv[46]: )?(?:arp_cache: |ndisc_cache: |[Nn]eighbou?r )[\w: ]{0,20}(?:table )?overflow|"
    r"IPv4: martian (?:source|destination)|UDP: bad checksum|TCP: (?:request_sock_TCP|out of memory|time wait bucket)|"
    r"net_ratelimit: \d|TCP: too many orphaned|sonewconn: pcb ).{0,300})$"
)
"""A message of the network stack whose time was cut off, or that a page turned into a link."""
_INNER_TIME = re.compile(r"\[\s{0,7}(\d{1,9}\.\d{6})\] ")
_JOURNAL_NOTE = re.compile(r"-- (?:Journal begins|Logs begin|Boot |No entries|Reboot)")


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are messages."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A message with its time, or what journalctl says between them."""
    return _match(line) is not None or bool(_JOURNAL_NOTE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """Nothing marks the beginning of a second listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The messages; a time of syslog, which has no year, is left out."""
    messages: list[KernelMessage] = []
    not_understood: list[int] = []
    host = ""
    for number, line in numbered(lines, first_line):
        match = _match(line)
        if match is not None:
            messages.append(_message(match, number))
            host = host or match.groupdict().get("host") or ""
        elif messages and messages[-1].text.endswith((",", ":")) and len(line) < _WRAPPED_MOST:
            messages[-1] = replace(messages[-1], text=f"{messages[-1].text} {line.strip()}")
        elif not _JOURNAL_NOTE.match(line):
            not_understood.append(number)
    drops = [p for m in messages if (p := logged_packet(m.text, m.line, m.time_ns)) is not None]
    return Dump(
        KIND, len(lines), tuple(not_understood), host=host, messages=tuple(messages), drops=tuple(drops)
    )


def _message(match: re.Match[str], number: int) -> KernelMessage:
    text, time_s, time_ns = match["text"], None, None
    if match.re is _BARE:
        return KernelMessage(number, None, None, text)
    if match.re in (_UPTIME, _CUT):
        time_s = float(match["time"])
    else:
        time_ns = stated_time_ns(match["time"])
        inner = _INNER_TIME.match(text)
        if inner is not None:
            time_s, text = float(inner[1]), text[inner.end() :]
    return KernelMessage(number, time_s, time_ns, text)


def _match(line: str) -> re.Match[str] | None:
    if (
        line[:1] not in "[<0123456789"
        and " kernel: " not in line[:300]
        and ":" not in line[:16]
        and "over" not in line
    ):
        return None
    for shape in (_UPTIME, _WALL, _ISO, _SYSLOG, _OPENWRT, _CUT, _BARE):
        match = shape.match(line)
        if match is not None:
            return None if match["text"].lstrip().startswith(("[NEW]", "[UPDATE]", "[DESTROY]")) else match
    return None
