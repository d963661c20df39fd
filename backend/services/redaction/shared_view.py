"""What a share link lets its viewers ask, and what it lets them see: one place that every answer passes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, get_args
from urllib.parse import parse_qsl

from backend.errors import NotFound
from backend.forensics.report import Report
from backend.services.read_report import ReportForm, render_form
from backend.services.redaction.asked_by_name import file_by_name, query_by_names
from backend.services.redaction.names import Names
from backend.services.redaction.place import Place
from backend.services.redaction.typed_answer import shown_content
from backend.services.scope import NOT_SHARED, Scope
from backend.text_classes import ProseValue

JSON, PROBLEM = "application/json", "application/problem+json"


@dataclass(frozen=True)
class SharedView:
    """The rules of one link. `names` is None where nothing is hidden."""

    names: Names | None
    scope: Scope

    def ask(self, place: Place, query: str) -> tuple[Place, str]:
        """What is asked for below the link and its query, in the words of the data; raises NotFound, InvalidRequest."""
        if not place.declared.opens_to(self.scope):
            raise NotFound(NOT_SHARED)
        if self.names is not None:
            place, query = file_by_name(place, self.names), query_by_names(place.declared, query, self.names)
        # A form of the report is written from what is left of it, for its marks of escape would hide names.
        return place, "" if place.route == "report" else query

    def answer(
        self, place: Place, query: str, body: bytes, media_type: str, declared: Any
    ) -> tuple[bytes, str]:
        """(the answer, which has that declared type, as the viewer may see it, its media type); raises NotFound for
        any other media type than JSON."""
        if media_type not in (JSON, PROBLEM):
            raise NotFound(NOT_SHARED)
        shown = self._json(json.loads(body), ProseValue if media_type == PROBLEM else declared)
        form = dict(parse_qsl(query)).get("format", "json") if place.route == "report" else "json"
        if media_type == PROBLEM or form not in get_args(ReportForm):
            return shown, media_type
        text, media_type = render_form(Report.model_validate_json(shown), form)  # type: ignore[arg-type]
        return text.encode(), media_type

    def _json(self, content: Any, declared: Any) -> bytes:
        if self.names is not None:
            content = shown_content(content, declared, self.names)
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
