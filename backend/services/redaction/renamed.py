"""An answer with other names in it, or none, for what a link hides."""

from __future__ import annotations

import re
from typing import Any, Final

from backend.services.redaction.listing_words import bare_listing
from backend.services.redaction.names import Names
from backend.services.redaction.open_words import HIDDEN
from backend.services.redaction.own_words import is_own_key

ADDRESS_KEYS: Final = frozenset({"sha256", "uploaded_sha256", "portable_filter"})
MESSAGE_KEYS: Final = frozenset({"traceparent", "location"})
"""Never shown where addresses, or the words of messages, are hidden."""
_CHOSEN: Final = (
    "schema kind role status verdict glyph basis severity cause outcome mode protocol analysis unit quantity "
    "captured_at_basis link_type order nature sort version"
)
IDS: Final = frozenset({"id", "next", "cursor", "file", "file_id", "investigation", "tool"})
_ID: Final = re.compile(r"[0-9a-f]{16}|[0-9a-f]{32}")
"""Random, and so nobody's."""
WORDS_OF_OURS: Final = frozenset(_CHOSEN.split())
"""Keys with one of few words; a machine may be called like one."""
MESSAGE_TEXTS: Final = frozenset(
    {"text", "value", "host", "path", "line", "request", "user_agent", "request_id", "server"}
)
"""Keys of texts of messages, in answers on requests and frames."""
LISTING_TEXTS: Final = frozenset({"text", "cells", "value", "host", "line", "server"})
"""Keys of texts of dumps, not of ours."""

OF_MACHINES: Final = frozenset({"host", "subject"})
"""Keys in a report of names of machines, of their network interfaces and control groups, as dumps give them."""


def renamed(content: Any, names: Names, place: str) -> Any:
    """The answer of that place below a link as its viewer may see it."""
    if place.startswith("frames/") and isinstance(content, dict) and "columns" in content:
        columns = [_column(column, names) for column in content["columns"]]
        content = {**{key: value for key, value in content.items() if key != "columns"}}
        return {**_renamed(content, names, frozenset()), "columns": columns}
    if place == "notes":
        return (
            {"items": [_note(note, names) for note in content.get("items", [])]}
            if "items" in content
            else (_renamed(content, names, frozenset()))
        )
    if place in ("report", "report/outline") and isinstance(content, dict) and "names" in content:
        content = _without_names(content, names)
    shown = _renamed(content, names, _bare_keys(place, names))
    if isinstance(shown, dict) and content.get("notes") and place == "report":
        shown["notes"] = [_note(note, names) for note in content["notes"]]
    return shown


def _without_names(report: dict[str, Any], names: Names) -> dict[str, Any]:
    """A name is as private as its address; one that DNS answered is a word of a message, too."""
    if names.hiding.addresses:
        return {**report, "names": [], "names_total": 0}
    kept = [each for each in report["names"] if each["sort"] != "dns"]
    return {**report, "names": kept, "names_total": len(kept)}


def _note(note: dict[str, Any], names: Names) -> dict[str, Any]:
    """What people wrote is theirs to show, with names in the place of what this link hides."""
    people = {key: names.of_people(note[key]) for key in ("text", "author") if note.get(key)}
    return {**_renamed(note, names, frozenset()), **people}


def _bare_keys(place: str, names: Names) -> frozenset[str]:
    if place.startswith("requests") and names.hiding.payload:
        return MESSAGE_TEXTS
    if place.startswith(("dumps/", "files/")) and names.hiding.addresses:
        return LISTING_TEXTS
    return OF_MACHINES if place in ("report", "report/outline") and names.hiding.addresses else frozenset()


def _column(column: dict[str, Any], names: Names) -> dict[str, Any]:
    """Of a frame."""
    is_message = column["name"] == "message"
    is_bare = names.hiding.payload and (is_message or names.hiding.addresses)
    return {
        **column,
        "value": _renamed(column["value"], names, frozenset({"value"} if is_bare else ()), "value"),
    }


def _renamed(content: Any, names: Names, bare: frozenset[str], key: str = "") -> Any:
    if isinstance(content, dict):
        return {
            (each if is_own_key(each) else names.text(each)): _renamed(value, names, bare, each)
            for each, value in content.items()
        }
    if isinstance(content, list):
        return [_renamed(value, names, bare, key) for value in content]
    if not isinstance(content, str) or not content or key in WORDS_OF_OURS:
        return content
    if (key in ADDRESS_KEYS and names.hiding.addresses) or (key in MESSAGE_KEYS and names.hiding.payload):
        return HIDDEN
    if key == "info" and names.hiding.payload:
        return content.partition(" · ")[0]  # what follows are words of messages
    if key in bare:
        return bare_listing(content, names)
    return _shown(content, key, names)


def _shown(content: str, key: str, names: Names) -> str:
    return content if key in IDS and _ID.fullmatch(content) else names.text(content)
