"""What a share link lets its viewers ask, and what it lets them see: one place that every answer passes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, get_args
from urllib.parse import parse_qsl

from pydantic_core import to_json

from backend.errors import NotFound
from backend.forensics.report import Report
from backend.services.read_report import ReportForm, render_form
from backend.services.redaction.asked_by_name import file_by_name, query_by_names
from backend.services.redaction.names import Names
from backend.services.redaction.place import Place
from backend.services.redaction.typed_answer import shown_content
from backend.services.scope import NOT_SHARED, Scope
from backend.text_classes import ProseValue


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

    def shown(self, content: Any, declared: Any) -> Any:
        """An answer that has that declared type, as the viewer may see it."""
        return content if self.names is None else shown_content(content, declared, self.names)

    def problem(self, body: bytes) -> bytes:
        """A document of what went wrong, whose texts may name what is hidden."""
        return to_json(self.shown(json.loads(body), ProseValue))


def report_form(shown: bytes, query: str) -> tuple[bytes, str] | None:
    """(a report, as its viewer may see it, in the form that a query asks for, its media type); None for JSON."""
    form = dict(parse_qsl(query)).get("format", "json")
    if form not in get_args(ReportForm):
        return None
    text, media_type = render_form(Report.model_validate_json(shown), form)  # type: ignore[arg-type]
    return text.encode(), media_type
