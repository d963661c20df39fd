"""DNS messages with other names and addresses (RFC 1035): the same length, the same structure, the same numbers."""

from __future__ import annotations

import struct
from typing import Final

from workers.decode.anonymise.pseudonyms import Pseudonyms

_HEADER_BYTES: Final = 12
_MOST_RECORDS: Final = 512
_A, _NS, _CNAME, _SOA, _PTR, _MX, _AAAA, _SRV, _DNAME, _OPT = 1, 2, 5, 6, 12, 15, 28, 33, 39, 41
_NAME_AT: Final = {_NS: 0, _CNAME: 0, _PTR: 0, _DNAME: 0, _MX: 2, _SRV: 6}
"""Where the name begins in the data of a record."""


def _number(message: bytes, at: int) -> int:
    return int.from_bytes(message[at : at + 2], "big")


class _CutShort(Exception):  # noqa: N818 - no error: what was read is kept
    """The message ends here."""


class _Message:
    def __init__(self, message: bytes, pseudonyms: Pseudonyms) -> None:
        self.source = message
        self.shown = bytearray(len(message))
        self.pseudonyms = pseudonyms

    def keep(self, at: int, end: int) -> None:
        if end > len(self.source):
            raise _CutShort
        self.shown[at:end] = self.source[at:end]

    def name(self, at: int) -> int:
        """Writes the labels at `at`; where the bytes behind them begin. Pointers stay."""
        while True:
            if at >= len(self.source):
                raise _CutShort
            length = self.source[at]
            if length & 0xC0 == 0xC0:
                self.keep(at, at + 2)
                return at + 2
            self.keep(at, at + 1)
            if length == 0:
                return at + 1
            if length & 0xC0 or at + 1 + length > len(self.source):
                raise _CutShort
            label = self.source[at + 1 : at + 1 + length].decode("latin-1")
            shown = self.pseudonyms.label(label).encode("latin-1") if label.isascii() else b"x" * length
            self.shown[at + 1 : at + 1 + length] = shown
            at += 1 + length

    def record(self, at: int) -> int:
        at = self.name(at)
        self.keep(at, at + 10)
        kind, length = _number(self.source, at), _number(self.source, at + 8)
        data, end = at + 10, at + 10 + length
        if end > len(self.source):
            raise _CutShort
        self._data(kind, data, end)
        return end

    def _data(self, kind: int, at: int, end: int) -> None:
        """What is not known stays zero: texts, keys, the client's subnet."""
        if (kind == _A and end - at == 4) or (kind == _AAAA and end - at == 16):
            self.shown[at:end] = self.pseudonyms.addresses.packed(self.source[at:end])
        elif kind in _NAME_AT and end - at > _NAME_AT[kind]:
            self.keep(at, at + _NAME_AT[kind])
            self.name(at + _NAME_AT[kind])
        elif kind == _SOA:
            numbers = self.name(self.name(at))
            self.keep(numbers, min(end, numbers + 20))
        elif kind == _OPT:
            while at + 4 <= end:
                self.keep(at, at + 4)
                at += 4 + _number(self.source, at + 2)


def dns_text(message: bytes, pseudonyms: Pseudonyms) -> bytes:
    """What stands for a message, or for as much of one as was captured."""
    rewritten = _Message(message, pseudonyms)
    try:
        rewritten.keep(0, _HEADER_BYTES)
        questions, *counts = struct.unpack_from("!4H", message, 4)
        at = _HEADER_BYTES
        for _ in range(min(questions, _MOST_RECORDS)):
            at = rewritten.name(at)
            rewritten.keep(at, at + 4)
            at += 4
        for _ in range(min(sum(counts), _MOST_RECORDS)):
            at = rewritten.record(at)
    except _CutShort:
        pass
    return bytes(rewritten.shown)
