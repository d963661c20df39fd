"""What a filter of packets asks, and its translation to a condition on rows of the packet table.

All values are bound parameters; names of fields come from `packet_fields` alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from backend.storage.capture_tables import CaptureTables
from backend.storage.packet_fields import PacketField, message_frames
from backend.storage.packet_store import Value

Operator = Literal["==", "!=", "<", "<=", ">", ">=", "contains"]
Clause = tuple[str, tuple[Value, ...]]
NOTHING: Final[Clause] = ("false", ())
_SQL: Final = {"==": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@dataclass(frozen=True)
class PathTables:
    """Where the connections over all captures are."""

    paths: str
    sightings: str


@dataclass(frozen=True)
class AddressRange:
    """Addresses of one prefix, in halves; a single address is a range of one. Only equality is asked of them."""

    first: tuple[int, int]
    last: tuple[int, int]


@dataclass(frozen=True)
class NumberRange:
    """Both ends included."""

    first: int
    last: int


Operand = int | str | AddressRange | NumberRange


@dataclass(frozen=True)
class Has:
    """The packet has the field."""

    field: PacketField


@dataclass(frozen=True)
class Compared:
    """One of the field's values compares so with one of the operands. ``!=``: it has the field, and none is equal."""

    field: PacketField
    operator: Operator
    operands: tuple[Operand, ...]


@dataclass(frozen=True)
class AtFrames:
    """The packet is one of these frames, by input."""

    frames: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class InTable:
    """The packet is one of the frames in a Parquet file of (input, frame)."""

    path: str


@dataclass(frozen=True)
class AtPlaces:
    """The packet was captured at one of these (input, vantage point or None for all of the file)."""

    places: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True)
class MissingAt:
    """Its connection should have been seen at one of these lanes, and was not."""

    lanes: tuple[str, ...]


@dataclass(frozen=True)
class EndsContain:
    """The ends of its connection contain this text."""

    text: str


@dataclass(frozen=True)
class AllOf:
    """Every part holds."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class AnyOf:
    """One part holds."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Negated:
    """The part does not hold."""

    part: Expression


Expression = (
    Has | Compared | AtFrames | InTable | AtPlaces | MissingAt | EndsContain | AllOf | AnyOf | Negated
)


def condition_of(expression: Expression, tables: CaptureTables, paths: PathTables) -> Clause:
    """The condition on the packet table of one capture."""
    match expression:
        case AllOf(parts):
            return _joined(" AND ", [condition_of(part, tables, paths) for part in parts])
        case AnyOf(parts):
            return _joined(" OR ", [condition_of(part, tables, paths) for part in parts])
        case Negated(part):
            text, values = condition_of(part, tables, paths)
            return f"NOT ({text})", values
        case Has(field):
            return _has(field, tables, paths)
        case Compared():
            return _compared(expression, tables, paths)
        case _:
            return _placed(expression, tables, paths)


def _placed(
    expression: AtFrames | InTable | AtPlaces | MissingAt | EndsContain,
    tables: CaptureTables,
    paths: PathTables,
) -> Clause:
    match expression:
        case AtFrames(frames):
            return "frame IN (SELECT unnest(?::BIGINT[]))", (list(frames.get(tables.input, ())),)
        case InTable(path):
            return "frame IN (SELECT frame FROM read_parquet(?) WHERE input = ?)", (path, tables.input)
        case AtPlaces(places):
            return _at_places(places, tables.input)
        case MissingAt(lanes):
            return _sighted("list_has_any(missing_at, ?::VARCHAR[])", (list(lanes),), tables, paths)
        case EndsContain(text):
            return _sighted("contains(search, lower(?))", (text,), tables, paths)


def _joined(word: str, parts: list[Clause]) -> Clause:
    text = word.join(f"({part})" for part, _ in parts)
    return f"({text})", tuple(value for _, values in parts for value in values)


def _at_places(places: tuple[tuple[str, int | None], ...], input_name: str) -> Clause:
    own = [vantage for name, vantage in places if name == input_name]
    if None in own:
        return "true", ()
    numbers = [vantage for vantage in own if vantage is not None]
    return "vantage IN (SELECT unnest(?::BIGINT[]))", (numbers,)


def _has(field: PacketField, tables: CaptureTables, paths: PathTables) -> Clause:
    if field.table:
        return message_frames(field, tables, "true") or NOTHING
    if field.kind == "connection":
        present = " OR ".join(f"{column} IS NOT NULL" for column in field.columns)
        return _sighted(present, (), tables, paths)
    return field.has, ()


def _compared(asked: Compared, tables: CaptureTables, paths: PathTables) -> Clause:
    if asked.operator == "!=":
        same = Compared(asked.field, "==", asked.operands)
        return condition_of(AllOf((Has(asked.field), Negated(same))), tables, paths)
    alternatives = [
        _one(asked.field, column, asked.operator, operand)
        for column in asked.field.columns
        for operand in asked.operands
    ]
    text, values = _joined(" OR ", alternatives)
    if asked.field.table:
        found = message_frames(asked.field, tables, text)
        return NOTHING if found is None else (found[0], (*found[1], *values))
    if asked.field.kind == "connection":
        return _sighted(text, values, tables, paths)
    return f"({asked.field.has} AND {text})", values


def _one(field: PacketField, column: str, operator: Operator, operand: Operand) -> Clause:
    if isinstance(operand, AddressRange):
        return _address(column, operand)
    if isinstance(operand, NumberRange):
        return f"{column} BETWEEN ? AND ?", (operand.first, operand.last)
    if operator == "contains":
        return f"contains(lower({column}), lower(?))", (operand,)
    return f"{column} {_SQL[operator]} ?", (operand,)


def _address(end: str, operand: AddressRange) -> Clause:
    (high, low), (last_high, last_low) = operand.first, operand.last
    if operand.first == operand.last:
        return f"({end}_low = ? AND {end}_high = ?)", (low, high)
    if high == last_high:
        return f"({end}_high = ? AND {end}_low BETWEEN ? AND ?)", (high, low, last_low)
    return f"({end}_high BETWEEN ? AND ?)", (high, last_high)


def _sighted(where: str, values: tuple[Value, ...], tables: CaptureTables, paths: PathTables) -> Clause:
    """Packets of logical connections that are so."""
    return (
        "connection IN (SELECT connection FROM read_parquet(?) WHERE input = ? AND cid IN "
        f"(SELECT cid FROM read_parquet(?) WHERE {where}))",
        (paths.sightings, tables.input, paths.paths, *values),
    )
