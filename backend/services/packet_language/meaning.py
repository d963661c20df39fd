"""What the words of a filter mean in one investigation: values, names of lanes and files, letters of findings."""

from __future__ import annotations

import ipaddress
from typing import Final

from backend.forensics.addresses import address_halves
from backend.forensics.report import FindingPart
from backend.services.open_tables import NS_PER_S, Tables
from backend.services.packet_language.named_ends import has_name, named
from backend.services.packet_language.problem import BadFilter, Spot
from backend.services.packet_language.tokens import Token
from backend.storage.packet_conditions import (
    AddressRange,
    AtFrames,
    AtPlaces,
    Compared,
    Expression,
    Has,
    MissingAt,
    Negated,
    NumberRange,
    Operand,
    Operator,
)
from backend.storage.packet_fields import PacketField

_ORDER: Final = ("<", "<=", ">", ">=")
_MOST: Final = 1 << 62


class Meaning:
    """Fields and values of one investigation."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def has(self, field: PacketField, spot: Spot) -> Expression:
        """The packet has the field."""
        if field.kind == "place":
            raise BadFilter(f"`{field.name}` needs a value: {field.name} == …", spot)
        if field.kind == "name":
            return has_name(self._tables.report.names, field, spot)
        return Has(field)

    def compared(self, field: PacketField, operator: str, values: list[Token], spot: Spot) -> Expression:
        """The field compared with values; raises BadFilter where that makes no sense."""
        _check(field, operator, spot)
        if field.kind == "place":
            found = self._place(field.name, values)
            return found if operator == "==" else Negated(found)
        if field.kind == "name":
            ends = named(self._tables.report.names, field, values)
            return ends if operator == "==" else Negated(ends)
        operands = tuple(self._operand(field, value) for value in values)
        if operator in _ORDER and any(isinstance(each, NumberRange) for each in operands):
            raise BadFilter("A range stands in a set: {1..5}.", values[0].spot)
        known: dict[str, Operator] = {"==": "==", "!=": "!=", "contains": "contains"}
        known |= {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
        return Compared(field, known[operator], operands)

    def _operand(self, field: PacketField, value: Token) -> Operand:
        if field.kind == "address":
            return _address(field, value)
        if field.kind == "text":
            return value.value
        if field.kind == "seconds":
            return _seconds_ns(value) + self._tables.t0_ns
        if field.kind == "flag":
            if value.value.lower() not in ("0", "1", "true", "false"):
                raise BadFilter(f"A flag is 1 or 0, not `{value.value}`.", value.spot)
            return int(value.value.lower() in ("1", "true"))
        return _number(value)

    def _place(self, name: str, values: list[Token]) -> Expression:
        if name == "finding":
            return AtFrames(_frames_of([self._finding(value) for value in values]))
        if name == "file":
            return AtPlaces(tuple((self._file(value), None) for value in values))
        if name == "missing":
            return MissingAt(tuple(self._lane(value) for value in values))
        return AtPlaces(tuple(place for value in values for place in self._places(self._lane(value))))

    def _finding(self, value: Token) -> FindingPart:
        findings = self._tables.report.findings
        lettered = {letter_of(number): each for number, each in enumerate(findings)}
        found = lettered.get(value.value.upper()) or {each.id: each for each in findings}.get(value.value)
        if found is None:
            known = ", ".join(list(lettered)[:26]) or "none"
            raise BadFilter(f"There is no finding `{value.value}`; there are: {known}.", value.spot)
        return found

    def _file(self, value: Token) -> str:
        names = [capture.input for capture in self._tables.captures]
        if value.value not in names:
            raise _no_such("file", value, names)
        return value.value

    def _lane(self, value: Token) -> str:
        lanes = self._tables.report.lanes
        by_id = {lane.id: lane.id for lane in lanes} | {
            part: lane.id for lane in lanes for part in lane.parts
        }
        found = by_id.get(value.value)
        named = [lane.id for lane in lanes if lane.name.lower() == value.value.lower()]
        if found is None and len(named) > 1:
            raise BadFilter(
                f"Several capture points are called `{value.value}`; give the id of one.",
                value.spot,
                did_you_mean=tuple(f'"{each}"' for each in named[:3]),
            )
        if found is None and not named:
            raise _no_such("capture point", value, [lane.name for lane in lanes])
        return found or named[0]

    def _places(self, lane_id: str) -> list[tuple[str, int | None]]:
        parts = next((lane.parts for lane in self._tables.report.lanes if lane.id == lane_id), [])
        split = [each.rpartition("#") for each in (lane_id, *parts)]
        return [(name, int(number)) for name, _, number in split if number.isdecimal()]


def letter_of(number: int) -> str:
    """A, B … Z, AA: the letter of a finding by its place in the report, 0 being the first."""
    letter = chr(ord("A") + number % 26)
    return letter if number < 26 else letter_of(number // 26 - 1) + letter


def _frames_of(findings: list[FindingPart]) -> dict[str, tuple[int, ...]]:
    frames: dict[str, set[int]] = {}
    for finding in findings:
        for part in finding.evidence:
            frames.setdefault(part.input, set()).update(part.frames)
    return {name: tuple(sorted(numbers)) for name, numbers in frames.items()}


def _check(field: PacketField, operator: str, spot: Spot) -> None:
    if field.kind == "presence":
        raise BadFilter(f"`{field.name}` stands alone or behind !, without a value.", spot)
    if operator == "contains" and field.kind != "text":
        raise BadFilter(f"`{field.name}` is no text, so it contains nothing.", spot, wireshark=True)
    if operator in _ORDER and field.kind in ("address", "text", "place", "name"):
        raise BadFilter(f"`{field.name}` is compared with == and != here.", spot, wireshark=True)


def _no_such(what: str, value: Token, known: list[str]) -> BadFilter:
    near = tuple(f'"{each}"' for each in sorted(set(known))[:3])
    return BadFilter(f"There is no {what} `{value.value}`.", value.spot, did_you_mean=near)


def _address(field: PacketField, value: Token) -> AddressRange:
    try:
        network = ipaddress.ip_network(value.value, strict=False)
    except ValueError:
        raise BadFilter(f"`{value.value}` is not an IP address.", value.spot) from None
    if (network.version == 4) != field.name.startswith("ip."):
        other = (
            field.name.replace("ipv6.", "ip.") if network.version == 4 else field.name.replace("ip.", "ipv6.")
        )
        raise BadFilter(f"`{value.value}` is an address of `{other}`.", value.spot, did_you_mean=(other,))
    return AddressRange(address_halves(str(network[0])), address_halves(str(network[-1])))


def _seconds_ns(value: Token) -> int:
    try:
        seconds = float(value.value)
    except ValueError:
        raise BadFilter(f"`{value.value}` is no number of seconds.", value.spot) from None
    if not abs(seconds) < 1e9:
        raise BadFilter(f"`{value.value}` is out of all times.", value.spot)
    return round(seconds * NS_PER_S)


def _number(value: Token) -> int | NumberRange:
    first, dots, last = value.value.partition("..")
    numbers = [_whole(part, value) for part in ((first, last) if dots else (first,))]
    return NumberRange(numbers[0], numbers[1]) if dots else numbers[0]


def _whole(text: str, value: Token) -> int:
    try:
        number = int(text, 0) if text.lower().startswith("0x") else int(text)
    except ValueError:
        raise BadFilter(f"`{value.value}` is no number.", value.spot) from None
    if not abs(number) < _MOST:
        raise BadFilter(f"`{value.value}` is larger than any number in a packet.", value.spot)
    return number
