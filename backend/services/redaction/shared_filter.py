"""Filters of packets behind a link with other names: what is not shown is not asked for, or counts would tell it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from backend.errors import InvalidRequest
from backend.services.packet_language.tokens import tokens_of
from backend.storage.packet_fields import PACKET_FIELDS

_SHOWN_KINDS: Final = ("flag", "number", "presence", "seconds", "connection")
_VALUE: Final = re.compile(r"(?:0x)?[0-9a-f.]{1,20}|[A-Z]{1,2}|true|false|in", re.IGNORECASE)
_PLAIN: Final = re.compile(r"\S+")
REFUSED: Final = (
    "This link shows other names: filter by flags, numbers, findings, or one name as it is shown."
)


def shared_filter(text: str, origin: Callable[[str], str]) -> str:
    """The filter in the words of the data; a word alone is a name that `origin` knows. Raises InvalidRequest."""
    if (
        _PLAIN.fullmatch(text.strip())
        and text.strip().lower() not in PACKET_FIELDS
        and not re.search(r"[=<>!]", text)
    ):
        return origin(text.strip())
    for token in tokens_of(text):
        field = PACKET_FIELDS.get(token.value.lower())
        is_shown = (
            field is not None and not field.table and (field.kind in _SHOWN_KINDS or field.name == "finding")
        )
        is_value = token.kind == "word" and _VALUE.fullmatch(token.value) is not None
        if token.kind not in ("sign", "end") and not is_shown and not is_value:
            raise InvalidRequest(REFUSED)
    return text
