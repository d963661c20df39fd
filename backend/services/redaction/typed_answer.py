"""What a link shows of an answer: each value by its declared type, and no text that has no class."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from backend.forensics.report import Report
from backend.services.redaction.class_rules import shown_text
from backend.services.redaction.names import Names
from backend.services.redaction.open_words import HIDDEN
from backend.services.redaction.own_words import is_own_key
from backend.text_classes import TextClass

Shown = Callable[[Any, Names], Any]
"""(a value as JSON has it, the link's names) -> the value as the viewer may see it."""
_DIGITS: Final = re.compile(r"-?\d{1,20}")
_NUMBERS: Final = (int, float, bool)
_LISTS: Final = (list, tuple, set, frozenset)


def shown_content(content: Any, declared: Any, names: Names) -> Any:
    """An answer of that declared type, as JSON has it, with the link's names."""
    if isinstance(declared, type) and issubclass(declared, Report):
        content = _without_names(content, names)
    return shown_by(declared)(content, names)


def _without_names(report: dict[str, Any], names: Names) -> dict[str, Any]:
    """A name is as private as its address; one that DNS answered is a word of a message, too."""
    if names.hiding.addresses:
        return {**report, "names": [], "names_total": 0}
    kept = [each for each in report.get("names", []) if each["sort"] != "dns"]
    return {**report, "names": kept, "names_total": len(kept)}


@cache
def shown_by(declared: Any) -> Shown:
    """How values of that type are shown. What does not fit its type is hidden."""
    origin, given = get_origin(declared), get_args(declared)
    if origin is Annotated:
        text_class = next((each for each in given[1:] if isinstance(each, TextClass)), None)
        return shown_by(given[0]) if text_class is None else _by_class(text_class, given[0])
    if origin in (Union, UnionType):
        return _by_union(given)
    if origin is Literal:
        return lambda value, names: value if value in given else HIDDEN
    if origin in _LISTS:
        items = shown_by(given[0])
        return lambda value, names: [items(each, names) for each in value]
    if origin in (dict, Mapping):
        return _by_mapping(shown_by(given[1]))
    if isinstance(declared, type) and issubclass(declared, Enum):
        return shown_by(Literal[tuple(each.value for each in declared)])
    if declared in _NUMBERS:
        return _number
    fields = fields_of(declared)
    return _nothing if fields is None else _by_fields(fields)


def fields_of(declared: Any) -> dict[str, Any] | None:
    """Name in JSON -> the field's type; None for what is no model and no dataclass."""
    if not isinstance(declared, type):
        return None
    hints = get_type_hints(declared, include_extras=True)
    if issubclass(declared, BaseModel):
        found = declared.model_fields
        return {_alias(found[name]) or name: hints[name] for name in found}
    if dataclasses.is_dataclass(declared):
        names = [each.name for each in dataclasses.fields(declared)]
        return {_annotated_alias(hints[name]) or name: hints[name] for name in names}
    return None


def _alias(field: FieldInfo) -> str | None:
    return field.serialization_alias or field.alias


def _annotated_alias(declared: Any) -> str | None:
    metadata = get_args(declared)[1:] if get_origin(declared) is Annotated else ()
    return next((_alias(each) for each in metadata if isinstance(each, FieldInfo)), None)


def _by_fields(fields: dict[str, Any]) -> Shown:
    shown = {name: shown_by(declared) for name, declared in fields.items() if declared is not ClassVar}

    def by_fields(value: Any, names: Names) -> Any:
        if not isinstance(value, dict):
            return HIDDEN
        return {key: shown[key](each, names) for key, each in value.items() if key in shown}

    return by_fields


def _by_mapping(shown: Shown) -> Shown:
    def by_mapping(value: Any, names: Names) -> Any:
        return {_key(key, names): shown(each, names) for key, each in value.items()}

    return by_mapping


def _key(key: str, names: Names) -> str:
    """Keys may be what was counted."""
    return key if is_own_key(key) else names.text(key)


def _by_class(text_class: TextClass, declared: Any) -> Shown:
    text = shown_text(text_class)

    def by_class(value: Any, names: Names) -> Any:
        if isinstance(value, str):
            return text(value, names) if value else value
        if isinstance(value, list):
            return [by_class(each, names) for each in value]
        if isinstance(value, dict):
            return {_key(key, names): by_class(each, names) for key, each in value.items()}
        return value

    return by_class if declared in (str, Any) else shown_by(declared)


def _by_union(members: tuple[Any, ...]) -> Shown:
    """The first member that a value fits; those with words of their own come before the others."""
    ordered = sorted(members, key=lambda each: not _literals(each))
    choices = [(_fits(each), shown_by(each)) for each in ordered]

    def by_union(value: Any, names: Names) -> Any:
        if value is None:
            return None
        return next((shown(value, names) for fits, shown in choices if fits(value)), HIDDEN)

    return by_union


def _literals(declared: Any) -> dict[str, tuple[Any, ...]]:
    """Field of a model -> the words that it takes, of those that take few; of a bare ``Literal`` under ``""``."""
    if get_origin(declared) is Literal:
        return {"": get_args(declared)}
    fields = fields_of(declared) or {}
    return {name: get_args(each) for name, each in fields.items() if get_origin(each) is Literal}


def _fits(declared: Any) -> Callable[[Any], bool]:
    while get_origin(declared) is Annotated:
        declared = get_args(declared)[0]
    origin, fields = get_origin(declared), fields_of(declared)
    if declared is NoneType:
        return lambda value: value is None
    if declared is Any:
        return lambda value: True
    if origin is Literal:
        return lambda value: value in get_args(declared)
    if origin in _LISTS or origin in (dict, Mapping):
        kind = dict if origin in (dict, Mapping) else list
        return lambda value: isinstance(value, kind)
    if fields is not None:
        fixed = _literals(declared)
        return lambda value: isinstance(value, dict) and _is_of(value, fields, fixed)
    return lambda value: (
        isinstance(value, str if declared is str else _NUMBERS)
        or (declared is int and isinstance(value, str) and _DIGITS.fullmatch(value) is not None)
    )


def _is_of(value: dict[str, Any], fields: dict[str, Any], fixed: dict[str, tuple[Any, ...]]) -> bool:
    return fields.keys() >= value.keys() and all(value.get(name) in words for name, words in fixed.items())


def _number(value: Any, names: Names) -> Any:
    """A number, or one in digits, as `EpochNs` is written."""
    if value is None or isinstance(value, _NUMBERS):
        return value
    return value if isinstance(value, str) and _DIGITS.fullmatch(value) else HIDDEN


def _nothing(value: Any, names: Names) -> Any:
    """Of a type that has no class."""
    return None if value is None else HIDDEN
