"""What may come next in a filter that is being typed, with how many packets have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from backend.services.open_tables import Tables, open_tables
from backend.services.packet_language.meaning import letter_of
from backend.services.packet_language.named_ends import names_of_field
from backend.services.packet_language.problem import BadFilter
from backend.services.packet_language.tokens import Token, tokens_of
from backend.storage.field_counts import count_having, frequent_values
from backend.storage.packet_fields import PACKET_FIELDS, PacketField
from backend.storage.store import Store
from backend.text_classes import PayloadText, ProseText

SHOWN: Final = 12
_COMPARING: Final = ("==", "!=", "<", "<=", ">", ">=", "contains")


@dataclass(frozen=True)
class FilterSuggestion:
    """A valid text at this position."""

    text: PayloadText
    why: ProseText
    packets: int | None


@dataclass(frozen=True)
class FilterSuggestions:
    """Possible replacements for the characters from `begin` to the cursor."""

    begin: int
    items: tuple[FilterSuggestion, ...]


def suggest_filter(store: Store, investigation_id: str, text: str) -> FilterSuggestions:
    """`text` is the filter up to the cursor."""
    try:
        tokens = [token for token in tokens_of(text) if token.kind != "end"]
    except BadFilter:
        return FilterSuggestions(len(text), ())
    typed = tokens[-1] if tokens and tokens[-1].kind != "sign" and not text[-1:].isspace() else None
    before = tokens[:-1] if typed is not None else tokens
    begin = len(text) if typed is None else typed.spot.at
    with open_tables(store, investigation_id) as tables:
        field = _compared_field(before)
        beginning = typed.value if typed is not None else ""
        if field is not None:
            return FilterSuggestions(begin, _values(tables, field, beginning))
        if (before and before[-1].kind != "sign") or _ends_with(before, ")"):
            return FilterSuggestions(begin, ())
        return FilterSuggestions(begin, _fields(tables, beginning.lower()))


def _ends_with(tokens: list[Token], sign: str) -> bool:
    return bool(tokens) and tokens[-1].kind == "sign" and tokens[-1].value == sign


def _compared_field(before: list[Token]) -> PacketField | None:
    """The field whose value comes now: behind a comparison, or in a set."""
    if len(before) >= 2 and before[-1].value in _COMPARING:
        return PACKET_FIELDS.get(before[-2].value.lower())
    values = [at for at, token in enumerate(before) if token.value == "{"]
    closed = any(token.value == "}" for token in before[values[-1] :]) if values else True
    if closed or values[-1] < 2 or before[values[-1] - 1].value != "in":
        return None
    return PACKET_FIELDS.get(before[values[-1] - 2].value.lower())


def _fields(tables: Tables, beginning: str) -> tuple[FilterSuggestion, ...]:
    found = [field for name, field in PACKET_FIELDS.items() if name.startswith(beginning)]
    found += [field for name, field in PACKET_FIELDS.items() if beginning in name and field not in found]
    chosen = found[:SHOWN]
    counts: dict[str, int] = {}
    for capture in tables.captures:
        for name, count in count_having(tables.query, capture, chosen).items():
            counts[name] = counts.get(name, 0) + count
    return tuple(FilterSuggestion(field.example(), field.why, counts.get(field.name)) for field in chosen)


def _values(tables: Tables, field: PacketField, beginning: str) -> tuple[FilterSuggestion, ...]:
    if field.kind == "name":
        texts = sorted({each.name for each in names_of_field(tables.report.names, field)})
        near = [text for text in texts if beginning.lower() in text.lower()]
        return tuple(FilterSuggestion(f'"{text}"', "", None) for text in near[:SHOWN])
    if field.kind == "place":
        return tuple(each for each in _places(tables, field.name) if beginning.lower() in each.text.lower())[
            :SHOWN
        ]
    counts: dict[str, int] = {}
    for capture in tables.captures:
        for value, count in frequent_values(tables.query, capture, field, beginning, SHOWN):
            counts[value] = counts.get(value, 0) + count
    top = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:SHOWN]
    return tuple(FilterSuggestion(_quoted(field, value), "", count) for value, count in top)


def _quoted(field: PacketField, value: str) -> str:
    if field.kind != "text":
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _places(tables: Tables, name: str) -> list[FilterSuggestion]:
    report = tables.report
    if name == "finding":
        return [
            FilterSuggestion(
                letter_of(number), each.title, sum(len(set(part.frames)) for part in each.evidence)
            )
            for number, each in enumerate(report.findings)
        ]
    if name == "file":
        return [
            FilterSuggestion(f'"{part.name}"', "", part.packets)
            for part in report.inputs
            if part.kind == "capture"
        ]
    names = [lane.name for lane in report.lanes]
    return [
        FilterSuggestion(
            f'"{lane.name if names.count(lane.name) == 1 else lane.id}"', lane.role, lane.packets or None
        )
        for lane in report.lanes
        if lane.captured
    ]
