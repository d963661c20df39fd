"""What a share link lets its viewers ask, and what it lets them see: one place that every answer passes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol, get_args
from urllib.parse import parse_qsl, urlencode

from backend.errors import NotFound
from backend.forensics.report import Report
from backend.services.read_report import ReportForm, render_form
from backend.services.redaction.asked_by_name import file_by_name, query_by_names
from backend.services.redaction.declared import Asked
from backend.services.redaction.names import Names
from backend.services.redaction.place import NOT_SHARED, Place
from backend.services.redaction.typed_answer import shown_content
from backend.text_classes import ProseValue

JSON, PROBLEM = "application/json", "application/problem+json"


class Scope(Protocol):
    """A part of an investigation."""

    def ask(self, place: Place, query: str) -> str:
        """The query, narrowed to the part; raises NotFound for any other place."""

    def answer(self, place: Place, content: Any) -> Any:
        """The answer without what does not belong to the part; raises NotFound."""


@dataclass(frozen=True)
class SharedView:
    """The rules of one link. `names` is None where nothing is hidden, `scope` where all of it is shown."""

    names: Names | None
    scope: Scope | None

    def ask(self, place: Place, query: str) -> tuple[Place, str]:
        """What is asked for below the link and its query, in the words of the data; raises NotFound, InvalidRequest."""
        if place.declared.shareable is None:
            raise NotFound(NOT_SHARED)
        internal = place.declared.keys(Asked.WITHIN)
        query = urlencode(
            [each for each in parse_qsl(query, keep_blank_values=True) if each[0] not in internal]
        )
        if self.names is not None:
            place, query = file_by_name(place, self.names), query_by_names(place.declared, query, self.names)
        if self.scope is not None:
            query = self.scope.ask(place, query)
        # A form of the report is written from what is left of it, for its marks of escape would hide names.
        return place, "" if place.route == "report" else query

    def answer(
        self, place: Place, query: str, body: bytes, media_type: str, declared: Any
    ) -> tuple[bytes, str]:
        """(the answer, which has that declared type, as the viewer may see it, its media type); raises NotFound for
        any other media type than JSON."""
        if media_type not in (JSON, PROBLEM):
            raise NotFound(NOT_SHARED)
        shown = self._json(place, json.loads(body), ProseValue if media_type == PROBLEM else declared)
        form = dict(parse_qsl(query)).get("format", "json") if place.route == "report" else "json"
        if media_type == PROBLEM or form not in get_args(ReportForm):
            return shown, media_type
        text, media_type = render_form(Report.model_validate_json(shown), form)  # type: ignore[arg-type]
        return text.encode(), media_type

    def _json(self, place: Place, content: Any, declared: Any) -> bytes:
        if self.scope is not None and declared is not ProseValue:
            content = self.scope.answer(place, content)
        if self.names is not None:
            content = shown_content(content, declared, self.names)
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
