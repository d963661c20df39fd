"""DNS messages as tcpdump and tshark print them, as bytes (RFC 1035 section 4.1)."""

from __future__ import annotations

import re
import struct
from typing import Final

from workers.decode.printed.headers import packed_address

_MOST_NAMES: Final = 10_000
_TYPES: Final = {
    "A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28, "SRV": 33, "HTTPS": 65,
    "ANY": 255,
}  # fmt: skip
_CODES: Final = {"FormErr": 1, "ServFail": 2, "NXDomain": 3, "NotImp": 4, "Refused": 5}
_QUERY = re.compile(
    r"(?P<id>\d{1,5})(?P<marks>[+%*|$-]{0,6}) (?:\[[^\]]{1,80}\] )?(?P<type>[A-Z]{1,10}\d{0,5})(?: \(Q[UM]\))?\? "
    r"(?P<name>\S{1,255}) ?.{0,200}?\((?P<length>\d{1,5})\)"
)
_ANSWER = re.compile(
    r"(?P<id>\d{1,5})(?P<marks>[*|$-]{0,6}) ?(?P<code>FormErr|ServFail|NXDomain|NotImp|Refused|)(?P<more>[*|$-]{0,4}) ?"
    r"(?:q: (?P<type>[A-Z]{1,10})\? (?P<name>\S{1,255}) )?(?P<counts>\d{1,4}/\d{1,4}/\d{1,4})(?P<records>.{0,3000}?)"
    r"\((?P<length>\d{1,5})\)"
)
_RECORD = re.compile(
    r"(?:^|[ ,])(?:\S{1,255}\. )?(?:\[[^\]]{1,20}\] )?(?P<type>A|AAAA|CNAME) (?P<data>[^\s,]{1,255})"
)
_COLUMN = re.compile(
    r"Standard query (?P<answer>response ?)?0x(?P<id>[0-9a-f]{1,4})\s{0,4}"
    r"(?P<code>No such name ?|Server failure ?|Refused ?)?"
    r"(?:(?P<type>[A-Z]{1,10}) (?P<name>\S{1,255})(?P<records>.{0,3000}))?"
)
_COLUMN_CODES: Final = {"No such name": 3, "Server failure": 2, "Refused": 5}
_COLUMN_RECORD = re.compile(r" (?P<type>A|AAAA|CNAME) (?P<data>\S{1,255})")


class DnsLines:
    """The questions of a section: the answers are printed without them."""

    def __init__(self) -> None:
        self._asked: dict[tuple[str, int], tuple[str, int]] = {}

    def read(self, text: str, client: str) -> tuple[bytes, int] | None:
        """The message of tcpdump's text and its length, None for what is none. `client` distinguishes equal ids."""
        query = _QUERY.match(text)
        if query is not None:
            flags = 0x0100 if "+" in query["marks"] else 0
            number, kind = int(query["id"]) & 0xFFFF, _TYPES.get(query["type"], 255)
            self._remember(client, number, query["name"], kind)
            return _message(number, flags, (query["name"], kind), []), int(query["length"])
        answer = _ANSWER.match(text)
        if answer is None:
            return None
        number = int(answer["id"]) & 0xFFFF
        asked = (
            (answer["name"], _TYPES.get(answer["type"], 255))
            if answer["name"]
            else self._asked.get((client, number))
        )
        flags = 0x8000 | (0x0400 if "*" in answer["marks"] else 0) | (0x0200 if "|" in answer["marks"] else 0)
        flags |= (0 if "-" in answer["marks"] else 0x0080) | 0x0100 | _CODES.get(answer["code"], 0)
        records = [(r["type"], r["data"]) for r in _RECORD.finditer(answer["records"])]
        return _message(number, flags, asked, records), int(answer["length"])

    def read_column(self, text: str, client: str) -> bytes | None:
        """The message of tshark's info column."""
        found = _COLUMN.search(text)
        if found is None:
            return None
        number, answer = int(found["id"], 16), bool(found["answer"])
        asked = (found["name"], _TYPES.get(found["type"], 255)) if found["name"] else None
        records = found["records"] or ""
        if asked is not None and (answer and packed_address(asked[0]) is not None):
            asked, records = (
                None,
                f" {found['type']} {found['name']}{records}",
            )  # older ones print answers alone
        if asked is None:
            asked = self._asked.get((client, number))
        elif not answer:
            self._remember(client, number, *asked)
        flags = 0x8180 | _COLUMN_CODES.get((found["code"] or "").strip(), 0) if answer else 0x0100
        shown = [(r["type"], r["data"]) for r in _COLUMN_RECORD.finditer(records)] if answer else []
        return _message(number, flags, asked, shown)

    def _remember(self, client: str, number: int, name: str, kind: int) -> None:
        if len(self._asked) >= _MOST_NAMES:
            self._asked.clear()
        self._asked[client, number] = name, kind


def _message(number: int, flags: int, asked: tuple[str, int] | None, records: list[tuple[str, str]]) -> bytes:
    question = b"" if asked is None else _name(asked[0]) + struct.pack(">HH", asked[1], 1)
    answers = [made for kind, data in records if (made := _record(kind, data)) is not None]
    counts = struct.pack(">HHHHHH", number, flags, 0 if asked is None else 1, len(answers), 0, 0)
    return counts + question + b"".join(answers)


def _record(kind: str, data: str) -> bytes | None:
    packed = packed_address(data) if kind != "CNAME" else _name(data)
    if packed is None:
        return None
    # The name is that of the question, which stands behind the twelve bytes of the header.
    return struct.pack(">HHHIH", 0xC00C, _TYPES[kind], 1, 0, len(packed)) + packed


def _name(text: str) -> bytes:
    labels = [label.encode("utf-8", "replace")[:63] for label in text.rstrip(".").split(".") if label]
    return b"".join(bytes((len(label),)) + label for label in labels)[:254] + b"\x00"
