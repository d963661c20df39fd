"""Refuses JSON that two readers may understand differently, before a route reads it.

A name twice in an object (one reader takes the first, another the last), numbers that are none in JSON (NaN, Infinity),
numbers and nesting beyond what readers take (RFC 8259 section 4, 6, 9)."""

from __future__ import annotations

import json
from typing import Any, Never

from backend.errors import InvalidRequest


def check_strict(content: bytes | bytearray) -> None:
    """Raises InvalidRequest, which says what and where."""
    try:
        json.loads(content, object_pairs_hook=_each_once, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InvalidRequest(f"The body is not JSON: {error.msg} ({place}).") from None
    except RecursionError:
        raise InvalidRequest("The body is not taken: its JSON is nested too deeply.") from None
    except ValueError:  # more digits than are converted
        raise InvalidRequest("The body is not taken: a number in it has too many digits.") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidRequest("The body is ambiguous: an object holds the same name more than once.")
    return found


def _no_number(text: str) -> Never:
    raise InvalidRequest(f"The body is not JSON: {text} is no number there.")
