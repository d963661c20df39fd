"""YAML of one object as kubectl prints it, made into JSON.

The events of libyaml are put together here, with a bound on depth: its own composer recurses and ends the process on
text that nests deeply. What kubectl never prints (anchors, aliases, several documents) makes the text one that is not
understood: an alias can stand for much more than it is long.
"""

from __future__ import annotations

import json
from typing import Any, Final

import yaml

_DEPTH: Final = 64
"""Of lists and maps in each other; the API's objects have at most about twenty."""
_WORDS: Final = {"true": True, "false": False, "null": None, "~": None, "": None}
_Open = tuple[list[Any] | dict[str, Any], list[str]]
"""A list or a map that is not complete, and the key whose value comes next."""


def as_json(text: bytes) -> bytes:
    """The object as JSON. Raises ValueError where the text is not such YAML."""
    try:
        events = yaml.parse(text, yaml.CSafeLoader)
        return json.dumps(_composed(iter(events))).encode()
    except yaml.YAMLError as error:
        raise ValueError("not YAML") from error


def _composed(events: Any) -> Any:
    opened: list[_Open] = []
    result: list[Any] = []
    for event in events:
        match event:
            case yaml.AliasEvent():
                raise ValueError("an alias")
            case yaml.ScalarEvent():
                _put(_value(event), opened, result)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                container: list[Any] | dict[str, Any] = (
                    {} if isinstance(event, yaml.MappingStartEvent) else []
                )
                _put(container, opened, result)
                opened.append((container, []))
                if len(opened) > _DEPTH:
                    raise ValueError("nested too deep")
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                opened.pop()
    if len(result) != 1:
        raise ValueError("not one document")
    return result[0]


def _put(value: Any, opened: list[_Open], result: list[Any]) -> None:
    if not opened:
        result.append(value)
        return
    container, key = opened[-1]
    if isinstance(container, list):
        container.append(value)
    elif key:
        container[key.pop()] = value
    else:
        if isinstance(value, (dict, list)):
            raise ValueError("a key that is no text")
        key.append(str(value))


def _value(event: Any) -> str | bool | int | None:
    """The JSON schema of YAML 1.2: dates and the like stay text."""
    if not event.implicit[0]:
        return str(event.value)
    if event.value in _WORDS:
        return _WORDS[event.value]
    digits = event.value.removeprefix("-")
    return (
        int(event.value) if digits.isdecimal() and digits.isascii() and len(digits) < 19 else str(event.value)
    )
