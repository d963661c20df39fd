"""TCP options as tcpdump and tshark print them, as bytes (RFC 9293 section 3.1, RFC 7323, RFC 2018)."""

from __future__ import annotations

import re
import struct
from functools import lru_cache
from typing import Final

_PADDED: Final = struct.Struct(">BBBBII")
_STAMPS = re.compile(r"nop,nop,TS val (\d{1,10}) ecr (\d{1,10})$")
_ONE = re.compile(
    r"mss (?P<mss>\d{1,5})|wscale (?P<scale>\d{1,3})|TS val (?P<value>\d{1,10}) ecr (?P<echo>\d{1,10})"
    r"|sack \d{1,2} (?P<blocks>(?:\{\d{1,10}:\d{1,10}\}){1,4})|(?P<word>sackOK|nop|eol)"
)
_BLOCK = re.compile(r"\{(\d{1,10}):(\d{1,10})\}")
_COLUMNS = re.compile(
    r"MSS=(?P<mss>\d{1,5})|\bWS=(?P<scale>\d{1,6})|TSval=(?P<value>\d{1,10})(?: TSecr=(?P<echo>\d{1,10}))?"
    r"|(?P<word>SACK_PERM)|SLE=(?P<left>\d{1,10}) SRE=(?P<right>\d{1,10})"
)
_M: Final = 0xFFFFFFFF


def tcpdump_options(text: str, base: int) -> bytes:
    """The bytes of ``mss 1460,sackOK,TS val 3 ecr 0,nop,wscale 7``. `base` is what SACK blocks are relative to."""
    stamps = _STAMPS.match(text)
    if stamps is not None:
        return _PADDED.pack(1, 1, 8, 10, int(stamps[1]) & _M, int(stamps[2]) & _M)
    made = b"".join(_option(found, base) for found in _ONE.finditer(text))
    return _padded(made)


def tshark_options(text: str, base: int) -> bytes:
    """The bytes of ``MSS=1460 SACK_PERM TSval=3 TSecr=0 WS=128``; tshark prints the factor of the window."""
    parts, blocks = [], []
    for found in _COLUMNS.finditer(text):
        if found["left"]:
            blocks.append(struct.pack(">II", int(found["left"]) + base & _M, int(found["right"]) + base & _M))
        elif found["word"]:
            parts.append(b"\x04\x02")
        elif found["scale"]:
            parts.append(bytes((3, 3, min(14, max(0, int(found["scale"]).bit_length() - 1)))))
        else:
            parts.append(_option(found, base))
    if blocks:
        parts.append(bytes((5, 2 + 8 * len(blocks))) + b"".join(blocks))
    return _padded(b"".join(parts))


def _option(found: re.Match[str], base: int) -> bytes:
    if found["mss"]:
        return b"\x02\x04" + struct.pack(">H", min(int(found["mss"]), 65_535))
    if found["scale"]:
        return bytes((3, 3, min(int(found["scale"]), 14)))
    if found["value"]:
        return struct.pack(">BBII", 8, 10, int(found["value"]) & _M, int(found["echo"] or 0) & _M)
    if found["word"]:
        return {"sackOK": b"\x04\x02", "nop": b"\x01", "eol": b"\x00"}[found["word"]]
    return _sack(found["blocks"], base)


def _sack(text: str, base: int) -> bytes:
    blocks = [
        struct.pack(">II", int(left) + base & _M, int(right) + base & _M)
        for left, right in _BLOCK.findall(text)
    ]
    return bytes((5, 2 + 8 * len(blocks))) + b"".join(blocks)


@lru_cache(maxsize=4_096)
def _padded(options: bytes) -> bytes:
    """To whole words, at most the 40 bytes that a header has room for."""
    return (options + b"\x00" * (-len(options) % 4))[:40]
