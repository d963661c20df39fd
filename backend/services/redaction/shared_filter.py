"""Filters of packets behind a link with other names: what is not shown is not asked for, or counts would show it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from backend.errors import InvalidRequest
from backend.services.packet_language.tokens import Token, tokens_of
from backend.services.redaction.names import Hiding, Names
from backend.services.redaction.open_words import HIDDEN
from backend.storage.packet_fields import PACKET_FIELDS

_SHOWN_KINDS: Final = ("flag", "number", "presence", "seconds", "connection")
_VALUE: Final = re.compile(r"(?:0x)?[0-9a-f.]{1,20}|[A-Z]{1,2}|true|false|in", re.IGNORECASE)
_PLAIN: Final = re.compile(r"\S+")
NOT_BY_WORDS: Final = (
    "This link hides the words of messages: filter by addresses, ports, flags, numbers or findings."
)
REFUSED: Final = (
    "This link shows other names: filter by flags, numbers, findings, or one name as it is shown."
)


def shared_filter(text: str, origin: Callable[[str], str], hiding: Hiding) -> str:
    """The filter in the words of the data; a word alone is a name that `origin` knows. Raises InvalidRequest."""
    word = text.strip()
    if _PLAIN.fullmatch(word) and word.lower() not in PACKET_FIELDS and not re.search(r"[=<>!]", word):
        if not hiding.addresses:
            return text
        # A number that is looked for in the ends of connections would be found in addresses.
        return f"tcp.port == {word} || udp.port == {word}" if word.isdecimal() else origin(word)
    for token in tokens_of(text):
        if token.kind not in ("sign", "end") and not _is_allowed(token, hiding):
            raise InvalidRequest(REFUSED if hiding.addresses else NOT_BY_WORDS)
    return text


def shown_filter(text: str, names: Names) -> str:
    """The filter of a view in the words that its viewers see. A name of an address may be any word, so a filter with
    one is not shown."""
    fields = [PACKET_FIELDS.get(token.value.lower()) for token in tokens_of(text)] if text.strip() else []
    is_by_name = any(field is not None and field.kind == "name" for field in fields)
    return HIDDEN if is_by_name and names.hiding.addresses else names.text(text)


def _is_allowed(token: Token, hiding: Hiding) -> bool:
    field = PACKET_FIELDS.get(token.value.lower())
    if field is not None and field.table:
        return False
    if not hiding.addresses:
        return True
    if field is not None:
        return field.kind in _SHOWN_KINDS or field.name == "finding"
    return token.kind == "word" and _VALUE.fullmatch(token.value) is not None
