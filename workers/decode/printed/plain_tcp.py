"""The one line that most texts consist of, read at once: a TCP packet over IPv4, without hardware addresses.

01:11:43.486943 IP 10.0.0.1.41358 > 10.0.0.2.80: Flags [S], seq 345145544, win 64240, length 0
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from workers.decode.printed.headers import packed_address, tcp_packet
from workers.decode.printed.options import tcpdump_options
from workers.decode.printed.sequences import Sequences

_LINE = re.compile(
    r"((?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\.\d{6}|\d{10}\.\d{6}) IP "
    r"(([\d.]{7,15})\.(\d{1,5})) > (([\d.]{7,15})\.(\d{1,5})): Flags \[([^\]]{1,9})\], "
    r"(?:seq (\d{1,10})(?::\d{1,10})?, )?(?:ack (\d{1,10}), )?win (\d{1,5}), (?:options \[([^\]]{0,200})\], )?"
    r"length (\d{1,6})(?:: HTTP: (?P<http>.{1,900}))?$"
)
_FLAGS: Final = {"F": 1, "S": 2, "R": 4, "P": 8, ".": 16, "U": 32, "E": 64, "W": 128, "e": 256}


@lru_cache(maxsize=256)
def flag_bits(text: str) -> int:
    """The flags of ``S.`` as bits."""
    return 0 if text == "none" else sum(_FLAGS.get(letter, 0) for letter in set(text))


def read_plain_tcp(text: str, sequences: Sequences) -> tuple[str, bytes, int] | None:
    """(time as printed, IP packet, its original length), None where the line is another one."""
    found = _LINE.match(text)
    if found is None:
        return None
    clock, source, host, port, target, other, other_port, letters, seq, ack, window, options, size, http = (
        found.groups()
    )
    one, two = packed_address(host), packed_address(other)
    if one is None or two is None:
        return None
    flags, length = flag_bits(letters), int(size)
    first, acknowledged, base = sequences.absolute(
        source, target, flags, int(seq) if seq else None, int(ack) if ack else None, length
    )
    made = tcpdump_options(options, base) if options else b""
    hint = (http.encode("utf-8", "replace") + b"\r\n")[:length] if http and length else b""
    packet = tcp_packet(
        (one, two),
        (int(port) & 0xFFFF, int(other_port) & 0xFFFF),
        (first, acknowledged),
        flags,
        int(window),
        made,
        length,
    )
    return clock, packet + hint, len(packet) + length
