"""Heads of HTTP messages, and answers with credentials, that say when and how, not what: as long, with other names.

Everything that is not known to be harmless becomes FILLER; bodies are not kept at all."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.anonymise.words import is_kept

FILLER: Final = "x"
_LINE: Final = re.compile(rb"[^\n]*\n|[^\n]+")
_REQUEST: Final = re.compile(r"([A-Z_-]{1,24}) (\S+)( HTTP/1\.\d)?")
_STATUS: Final = re.compile(r"(HTTP/1\.\d \d{3})(.*)")
_HEADER: Final = re.compile(r"([^\s:]+)([ \t]*:[ \t]*)(.*?)([ \t]*)", re.DOTALL)
_DIGITS: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[A-Za-z0-9_-]+")
_PRODUCT: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)([/#]?)(v?\d[\w.+-]*)?")
_HEX: Final = re.compile(r"[0-9A-Fa-f]{3,}|[G-Zg-z]\w*|\w+")
_DATE: Final = re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
_NUMBERS: Final = ("content-length", "retry-after", "x-aws-ec2-metadata-token-ttl-seconds")
_TIMES: Final = ("expiration", "lastupdated")
_STRUCTURE: Final = b'{}[]:,"\r\n \t'


def head_text(head: bytes, pseudonyms: Pseudonyms, *, is_first: bool = True) -> bytes:
    """What stands for a head, or for the beginning of one. `is_first`: its first line is a request's or a status."""
    lines = []
    for line in _LINE.findall(head):
        lines.append(_line(line, pseudonyms, is_first))
        is_first = False
    return b"".join(lines)


@lru_cache(1 << 15)
def _line(line: bytes, pseudonyms: Pseudonyms, is_first: bool) -> bytes:
    text = line.decode("latin-1")
    bare = text.rstrip("\r\n")
    shown = _first(bare, pseudonyms) if is_first else _header(bare, pseudonyms)
    return (shown + text[len(bare) :]).encode("latin-1")


def _first(text: str, pseudonyms: Pseudonyms) -> str:
    found = _STATUS.fullmatch(text)
    if found is not None:
        return found[1] + _known_words(found[2])
    found = _REQUEST.fullmatch(text)
    if found is None:
        return FILLER * len(text)
    return f"{found[1]} {_target(found[2], pseudonyms)}{found[3] or ''}"


def _target(text: str, pseudonyms: Pseudonyms) -> str:
    """Values of parameters are nobody's business; names and path change words."""
    path, mark, query = text.partition("?")
    values = re.sub(r"(?<==)[^&;#]*", lambda found: FILLER * len(found[0]), query)
    return pseudonyms.target(path) + mark + pseudonyms.target(values)


def _known_words(text: str) -> str:
    return _WORD.sub(lambda found: found[0] if is_kept(found[0]) else FILLER * len(found[0]), _ascii(text))


def _ascii(text: str) -> str:
    return "".join(each if " " <= each <= "~" else FILLER for each in text)


def _header(text: str, pseudonyms: Pseudonyms) -> str:
    found = _HEADER.fullmatch(text)
    if not text or found is None:
        return FILLER * len(text)
    name, colon, value, blanks = found.groups()
    shown = _value(name.lower(), _ascii(value), pseudonyms)
    return (name if is_kept(name) else FILLER * len(name)) + colon + shown + blanks


def _value(name: str, value: str, pseudonyms: Pseudonyms) -> str:
    if name in _NUMBERS and _DIGITS.fullmatch(value):
        return value
    if name in ("date", "retry-after", "last-modified") and _DATE.fullmatch(value):
        return value
    if name == "host":
        return _authority(value, pseudonyms)
    if name == "location":
        return _target(value, pseudonyms)
    if name in ("user-agent", "server"):
        return _products(value, pseudonyms)
    if name in ("transfer-encoding", "connection"):
        return _known_words(value)
    if name in ("x-request-id", "traceparent"):
        return _HEX.sub(lambda each: each[0] if len(each[0]) < 3 else pseudonyms.label(each[0]), value)
    return FILLER * len(value)


def _authority(text: str, pseudonyms: Pseudonyms) -> str:
    """A host with or without port."""
    if text.startswith("["):
        host, bracket, port = text[1:].partition("]")
        return f"[{pseudonyms.name(host)}{bracket}{port}"
    host, colon, port = text.rpartition(":")
    if colon and port.isdecimal():
        return f"{pseudonyms.name(host)}:{port}"
    return pseudonyms.name(text)


def _products(text: str, pseudonyms: Pseudonyms) -> str:
    """``Botocore/1.29.0 Python/3.9``: what everybody uses keeps its version."""

    def shown(found: re.Match[str]) -> str:
        name, sign, version = found[1], found[2], found[3] or ""
        if is_kept(name):
            return name + sign + (version if sign or not version else pseudonyms.label(version))
        return pseudonyms.word(name) + sign + "".join(pseudonyms.label(run) if run.isalnum() else run
                                                    for run in re.split(r"([^A-Za-z0-9]+)", version))  # fmt: skip

    return _PRODUCT.sub(shown, text)


class CredentialsText:
    """The answer to a request for credentials: its keys and times stay, its values become FILLER.

    Bytes come in any portions. Reads strings as `messages.credentials_body` does."""

    def __init__(self) -> None:
        self._string: bytearray | None = None
        self._escaped = False
        self._key = ""
        self._after_colon = False
        self._is_number = False

    def take(self, body: bytes) -> bytes:
        """What stands for all of a body."""
        shown = bytearray()
        for byte in body:
            if self._string is None:
                shown.append(self._outside(byte))
            elif byte == 0x22 and not self._escaped:
                shown += self._end_string()
                shown.append(byte)
            else:
                self._escaped = byte == 0x5C and not self._escaped
                self._string.append(byte)
        if self._string:
            shown += FILLER.encode() * len(self._string)
        return bytes(shown)

    def _outside(self, byte: int) -> int:
        if byte == 0x22:
            self._string, self._escaped = bytearray(), False
        elif byte == 0x3A:
            self._after_colon = True
        elif byte in b",{}[]":
            self._after_colon, self._key = False, ""
        elif self._after_colon and self._key == "expires_in" and byte not in b" \t":
            if 0x30 <= byte <= 0x39:
                return byte
            self._key = ""  # bytes are missing: what comes behind them is another value
        return byte if byte in _STRUCTURE else ord(FILLER)

    def _end_string(self) -> bytes:
        text = (self._string or b"").decode("latin-1")
        self._string = None
        if self._after_colon:
            key, self._key = self._key, ""
            is_shown = _is_kept_value(key, text)
        else:
            self._key = text.lower()
            is_shown = is_kept(text)
        return text.encode("latin-1") if is_shown else FILLER.encode() * len(text)


def _is_kept_value(key: str, value: str) -> bool:
    """Times, and the result code."""
    if key in _TIMES:
        return _TIME.fullmatch(value) is not None
    if key == "code":
        return is_kept(value)
    return key == "expires_in" and _DIGITS.fullmatch(value) is not None
