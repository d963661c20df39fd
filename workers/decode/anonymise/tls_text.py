"""ClientHello and alerts of TLS (RFC 8446): versions and protocols stay, names change, the rest is zero."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from workers.decode.anonymise.pseudonyms import Pseudonyms

_SERVER_NAME, _ALPN, _VERSIONS = 0, 16, 43
_PROTOCOLS: Final = ("h2", "h2c", "h3", "http/1.0", "http/1.1", "dot", "doq", "acme-tls/1")
_RECORD_HEADER: Final = 5
_ALERT_BYTES: Final = 7


def alert_text(record: bytes) -> bytes:
    """An alert that is not encrypted: level and description."""
    return record[:_ALERT_BYTES] + bytes(max(0, len(record) - _ALERT_BYTES))


def hello_text(record: bytes, pseudonyms: Pseudonyms) -> bytes:
    """What stands for a ClientHello at its record header, or for the beginning of one."""
    shown = bytearray(len(record))
    at = _RECORD_HEADER + 4 + 2 + 32
    _keep(shown, record, 0, _RECORD_HEADER + 4 + 2)
    for width in (1, 2, 1):  # session, cipher suites, compression methods: how many, not which
        _keep(shown, record, at, at + width)
        if at + width > len(record):
            return bytes(shown)
        at += width + int.from_bytes(record[at : at + width], "big")
    _keep(shown, record, at, at + 2)
    for kind, begin, end in _extensions(record, at + 2):
        _keep(shown, record, begin - 4, begin)
        _extension(shown, record, kind, begin, end, pseudonyms)
    return bytes(shown)


def _keep(shown: bytearray, record: bytes, at: int, end: int) -> None:
    shown[at:end] = record[at:end]


def _extensions(record: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """(number, first byte, end of what was captured) of each."""
    while at + 4 <= len(record):
        kind, length = struct.unpack_from("!HH", record, at)
        yield kind, at + 4, min(len(record), at + 4 + length)
        at += 4 + length


def _extension(shown: bytearray, record: bytes, kind: int, at: int, end: int, pseudonyms: Pseudonyms) -> None:
    if kind == _SERVER_NAME and end - at >= 5:
        _keep(shown, record, at, at + 5)
        name = record[at + 5 : end].decode("latin-1")
        other = pseudonyms.name(name) if name.isascii() else "x" * len(name)
        shown[at + 5 : end] = other.encode("latin-1")
    elif kind == _ALPN:
        _keep(shown, record, at, at + 2)
        at += 2
        while at < end:
            length = record[at]
            name = record[at + 1 : min(end, at + 1 + length)].decode("latin-1")
            protocol = name if name in _PROTOCOLS else "x" * len(name)
            shown[at : at + 1 + len(name)] = bytes((length,)) + protocol.encode("latin-1")
            at += 1 + length
    elif kind == _VERSIONS:
        _keep(shown, record, at, end)
