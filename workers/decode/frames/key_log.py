"""Key logs of TLS in the format of NSS (SSLKEYLOGFILE, draft-ietf-tls-keylogfile), as files and in pcapng.

CLIENT_RANDOM 5f2d… 3a91…
CLIENT_TRAFFIC_SECRET_0 5f2d… 77c0…
"""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from backend.forensics.tls_key_log import LABELS
from workers.decode.frames.stored import mapped
from workers.decode.pcapng_blocks import DECRYPTION_SECRETS

_LINE: Final = re.compile(
    rb"(?m)^" + LABELS.encode() + rb" [0-9A-Fa-f]{64} [0-9A-Fa-f]{32,128}(?=\s*$)"
    rb"|^RSA [0-9A-Fa-f]{16} [0-9A-Fa-f]{96}(?=\s*$)"
)
_TLS_KEY_LOG: Final = 0x544C534B
"""Secrets type of a decryption secrets block (draft-ietf-opsawg-pcapng, section 4.7)."""
_SECTION: Final = b"\x0a\x0d\x0d\x0a"
LARGEST_BYTES: Final = 16 << 20
"""Of one key log; what follows is not read."""


def key_log_lines(text: bytes) -> list[bytes]:
    """Its lines that hold a secret; nothing else of it is given to another program."""
    return [found[0] for found in _LINE.finditer(text[:LARGEST_BYTES])]


def is_secret(line: str) -> bool:
    """Whether a line is a whole one with a secret."""
    return _LINE.match(line.encode("utf-8", "replace")) is not None


def key_log_in(capture: Path) -> list[bytes]:
    """The lines of the key logs in the decryption secrets blocks of a pcapng; of another file none."""
    with mapped(capture) as data:
        return [line for body in _secrets(data) for line in key_log_lines(body)]


def _secrets(data: mmap.mmap) -> Iterator[bytes]:
    """What the decryption secrets blocks hold; ends at the first damage."""
    at, order = 0, "<"
    while data[:4] == _SECTION and at + 20 <= len(data):
        if data[at : at + 4] == _SECTION:
            order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, length = struct.unpack_from(order + "II", data, at)
        if length < 12 or length % 4 or at + length > len(data):
            return
        if kind == DECRYPTION_SECRETS and length >= 20:
            secrets, size = struct.unpack_from(order + "II", data, at + 8)
            if secrets == _TLS_KEY_LOG:
                yield data[at + 16 : min(at + 16 + size, at + length - 4)]
        at += length
