"""What a share link lets its viewers ask, and what it lets them see: one place that every answer passes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args
from urllib.parse import parse_qsl, quote, unquote, urlencode

from backend.errors import InvalidRequest, NotFound
from backend.forensics.report import Report
from backend.services.read_report import ReportForm, render_form
from backend.services.redaction.finding_scope import FindingScope
from backend.services.redaction.listing_words import bare_listing
from backend.services.redaction.names import HIDDEN, Names
from backend.services.redaction.shared_filter import shared_filter

NOT_SHARED = "This is not part of what was shared."
JSON, PROBLEM = "application/json", "application/problem+json"
ASKED_BY_NAME = ("q", "address", "prober", "responder", "lane", "input")
READABLE = re.compile(
    r"(?:investigation|files|report|report/outline|report/findings|report/findings/[^/]+|report/findings/[^/]+/rows|"
    r"findings|findings/[^/]+|diagnoses|timeline|connections|connections/\d+|packets|"
    r"packets/place|requests|requests/shapes|requests/\d+|rtt|rtt/chart|rtt/groups|rtt/groups/[^/]+/\d+|dumps|"
    r"dumps/series|(?:files/.+)/lines|(?:dumps/.+)/\d+/[^/]+|(?:frames/.+)/\d+)"
)
"""Addresses below the link that a link with other names opens; whatever is new has to be thought of first."""
_OF_A_FILE = re.compile(r"(files|dumps|frames)/(.+?)((?:/lines|/\d+/[^/]+|/\d+)?)")
HIDDEN_KEYS = frozenset({"sha256", "uploaded_sha256", "traceparent", "location", "portable_filter"})
_CHOSEN = (
    "schema kind role status verdict glyph basis severity cause outcome mode protocol analysis unit quantity "
    "captured_at_basis link_type order nature sort"
)
WORDS_OF_OURS = frozenset(_CHOSEN.split())
"""Keys with one of few words; a machine may be called like one."""
LISTING_KEYS = frozenset(
    {"text", "cells", "value", "host", "path", "line", "user_agent", "request_id", "server"}
)
"""Texts of packets and dumps, not of ours."""
LISTINGS = ("dumps/", "files/", "frames/", "requests")


@dataclass(frozen=True)
class SharedView:
    """The rules of one link. `names` is None where addresses are shown, `scope` where all of it is."""

    names: Names | None
    scope: FindingScope | None

    def ask(self, place: str, query: str) -> tuple[str, str]:
        """The address below the link and its query, in the words of the data; raises NotFound, InvalidRequest."""
        if self.names is not None:
            if not READABLE.fullmatch(place):
                raise NotFound(NOT_SHARED)
            place, query = _file_by_name(place, self.names), _query_by_names(query, self.names)
        if self.scope is not None:
            query = self.scope.ask(place, query)
        # A form of the report is written from what is left of it, for its marks of escape would hide names.
        return place, "" if place == "report" else query

    def answer(self, place: str, query: str, body: bytes, media_type: str) -> tuple[bytes, str]:
        """(the answer as the viewer may see it, its media type); raises NotFound for a sort nobody thought of."""
        if media_type not in (JSON, PROBLEM):
            raise NotFound(NOT_SHARED)
        shown = self._json(place, json.loads(body), refused=media_type == PROBLEM)
        form = dict(parse_qsl(query)).get("format", "json") if place == "report" else "json"
        if media_type == PROBLEM or form not in get_args(ReportForm):
            return shown, media_type
        text, media_type = render_form(Report.model_validate_json(shown), form)  # type: ignore[arg-type]
        return text.encode(), media_type

    def _json(self, place: str, content: Any, *, refused: bool) -> bytes:
        if self.scope is not None and not refused:
            content = self.scope.answer(place, content)
        if self.names is not None:
            listing = place.startswith(LISTINGS)
            content = _renamed(content, self.names, bare=listing)
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def _file_by_name(place: str, names: Names) -> str:
    """Files are asked for by the names shown, or by their ids; the names they really have open nothing."""
    found = _OF_A_FILE.fullmatch(place)
    if found is None or place == "dumps/series":
        return place
    origin = names.origin(unquote(found[2]))
    if origin is None and not re.fullmatch(r"[0-9a-f]{1,32}", found[2]):
        raise NotFound(NOT_SHARED)
    return f"{found[1]}/{found[2] if origin is None else origin}{found[3]}"


def _query_by_names(query: str, names: Names) -> str:
    asked = parse_qsl(query, keep_blank_values=True)
    return urlencode(
        [(key, _asked(key, value, names)) for key, value in asked],
        quote_via=quote,
    )


def _asked(key: str, value: str, names: Names) -> str:
    if key == "filter" and value.strip():
        return shared_filter(value, lambda name: _origin(name, names))
    if key == "line":  # a method and a path, as an answer showed them
        return " ".join(word if word.isupper() else _origin(word, names) for word in value.split(" "))
    return _origin(value, names) if key in ASKED_BY_NAME else value


def _origin(value: str, names: Names) -> str:
    """The words of the data for a filter; what is no name shown here could be guessed with, and is refused."""
    if not value or value.isdecimal():
        return value
    head, mark, tail = re.fullmatch(r"(.*?)([:#]?)(\d*)", value, re.DOTALL).groups()  # type: ignore[union-attr]
    for name, rest in ((value, ""), (head, mark + tail)):
        origin = names.origin(name)
        if origin is not None:
            return origin + rest
    if value.startswith("kernel:") and names.origin(value.removeprefix("kernel:")):
        return f"kernel:{names.origin(value.removeprefix('kernel:'))}"
    raise InvalidRequest("This link shows other names: filter by a name as it is shown, or by a port.")


def _renamed(content: Any, names: Names, *, bare: bool, key: str = "") -> Any:
    if isinstance(content, dict):
        return {each: _renamed(value, names, bare=bare, key=each) for each, value in content.items()}
    if isinstance(content, list):
        return [_renamed(value, names, bare=bare, key=key) for value in content]
    if not isinstance(content, str) or not content:
        return content
    if key in WORDS_OF_OURS:
        return content
    if key in HIDDEN_KEYS:
        return HIDDEN
    if key == "info":
        return content.partition(" · ")[0]  # what follows are words of messages
    show: Callable[[str], str] = names.text
    if bare and key in LISTING_KEYS:
        return bare_listing(content, names)
    return show(content)
