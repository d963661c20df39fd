"""Keys and tokens in texts: shell sessions, packets as text, listings of system calls, manifests.

A text in which one sign of credentials is found is cleared as a whole: values stand in other lines than their names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

FILLER: Final = "x"
_SIGN: Final = re.compile(
    r"(?i)access_?key|secret_?key|secret_?access|session_?token|security_?token|[a-z]_token\b|\\?\"token\\?\"\s*:"
    r"|client_secret|client_assertion|grant_type|private[_ ]key|authorization\s*:|cookie\s*:|[a-z]-token\s*:"
    r"|\bbearer\s|passw(?:or)?d\\?\"?\s*[=:]|security-credentials|/latest/(?:meta-data|user-data|api/token)"
    r"|computemetadata|/metadata/identity|/v[12]/credentials|kind\\?\"?\s*:\s*\\?\"?secret\b"
    r"|(?:client_random|traffic_secret(?:_\d)?|exporter_secret|ech_secret)\s+[0-9a-f]{16}|master-key\s*:"
    r"|\brsa [0-9a-f]{16} [0-9a-f]{16}|service-account-token|\beyJ[A-Za-z0-9_-]{16}"
)
_HEX_LINE: Final = re.compile(
    r"^\s*(?:0x[0-9a-f]{4,8}:\s+[0-9a-f]{2,4}\s|[0-9a-f]{8}:\s(?:[0-9a-f]{4}\s){2}"
    r"|[0-9a-f]{8}\s\s(?:[0-9a-f]{2}\s+){4}.*\|)"
)
"""A line of ``tcpdump -X``, ``xxd`` or ``hexdump -C``: words are torn over such lines, so each is cleared."""
_WORD: Final = re.compile(r"[A-Za-z0-9+/=_.~%-]{8,}")
_HARMLESS: Final = re.compile(
    r"[a-z]{8,16}|[A-Z]?[a-z]{7,15}|[A-Z_]{8,12}|[\d.:/-]+|[0-9a-f:]{8,17}|(?:[a-z]{1,15}=)[\d.:/]*"
    r"|(?:[a-z]{2,12}[_./-]){1,6}[a-z]{1,12}|[a-z][\w-]{1,15}=[a-z\d.]{0,15}"
)
"""Words of the kernel and its tools, numbers, addresses and times."""
_VISIBLE: Final = re.compile(r"\S")


def is_sign(line: str) -> bool:
    """Whether a line shows that its text holds credentials."""
    return _SIGN.search(line) is not None or _HEX_LINE.match(line) is not None


def hold_credentials(lines: Iterable[str]) -> bool:
    """Whether a text of these lines holds, or may hold, keys or tokens."""
    return any(map(is_sign, lines))


def cleared_line(line: str) -> str:
    """A line of such a text, as long: words that may be keys are overwritten, and all that follows a sign."""
    if _HEX_LINE.match(line):
        offset = len(line) - len(line.lstrip())
        head = line.find(" ", offset)
        return line[:head] + _VISIBLE.sub(FILLER, line[head:])
    sign = _SIGN.search(line)
    if sign is None:
        return _WORD.sub(_if_harmless, line)
    return _WORD.sub(_covered, line[: sign.end()]) + _VISIBLE.sub(FILLER, line[sign.end() :])


def _if_harmless(found: re.Match[str]) -> str:
    return found[0] if _HARMLESS.fullmatch(found[0]) else _covered(found)


def _covered(found: re.Match[str]) -> str:
    return FILLER * len(found[0])
