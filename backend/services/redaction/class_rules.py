"""What a link shows of a text of each class."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from backend.services.redaction.listing_words import bare_listing
from backend.services.redaction.names import Names
from backend.services.redaction.open_words import HIDDEN
from backend.services.redaction.own_words import is_own
from backend.text_classes import TextClass

ShownText = Callable[[str, Names], str]
_ID: Final = re.compile(r"[0-9a-f]{16}|[0-9a-f]{32}")
"""Random, and so nobody's."""
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)")


def shown_text(text_class: TextClass) -> ShownText:
    """The rule of that class; a class without a rule is hidden."""
    return _RULES.get(text_class, lambda text, names: HIDDEN)


def _named(text: str, names: Names) -> str:
    return names.text(text)


def _fixed(text: str, names: Names) -> str:
    """A machine may be called like one of these words."""
    return text if is_own(text) else names.text(text)


def _listed(text: str, names: Names) -> str:
    return bare_listing(text, names) if names.hiding.addresses else names.text(text)


def _of_payload(text: str, names: Names) -> str:
    return bare_listing(text, names) if names.hiding.payload else names.text(text)


def _of_header(text: str, names: Names) -> str:
    hides_all = names.hiding.payload and names.hiding.addresses
    return bare_listing(text, names) if hides_all else names.text(text)


def _packet_info(text: str, names: Names) -> str:
    return names.text(text.partition(" · ")[0] if names.hiding.payload else text)


_RULES: Final[dict[TextClass, ShownText]] = {
    TextClass.PROSE: _named,
    TextClass.FIXED: _fixed,
    TextClass.ID: lambda text, names: text if _ID.fullmatch(text) else names.text(text),
    TextClass.TIME: lambda text, names: text if _TIME.fullmatch(text) else names.text(text),
    TextClass.ADDRESS: _named,
    TextClass.VANTAGE_POINT: _named,
    TextClass.FILE_NAME: _named,
    TextClass.MACHINE: _listed,
    TextClass.DUMP: lambda text, names: names.of_line(text),
    TextClass.PAYLOAD: _of_payload,
    TextClass.PACKET_INFO: _packet_info,
    TextClass.HEADER_FIELD: _of_header,
    TextClass.OPAQUE_ADDRESS: lambda text, names: HIDDEN if names.hiding.addresses else names.text(text),
    TextClass.OPAQUE_PAYLOAD: lambda text, names: HIDDEN if names.hiding.payload else names.text(text),
    TextClass.ANALYST: lambda text, names: names.of_people(text),
}
