"""What a share link lets its viewers ask, and what it lets them see: one place that every answer passes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Protocol, get_args
from urllib.parse import parse_qsl, urlencode

from backend.errors import NotFound
from backend.forensics.report import Report
from backend.services.read_report import ReportForm, render_form
from backend.services.redaction.asked_by_name import file_by_name, query_by_names
from backend.services.redaction.names import Names
from backend.services.redaction.renamed import renamed

NOT_SHARED = "This is not part of what was shared."
JSON, PROBLEM = "application/json", "application/problem+json"
READABLE = re.compile(
    r"(?:investigation|files|report|report/outline|report/findings|report/findings/[^/]+|report/findings/[^/]+/rows|"
    r"findings|findings/[^/]+|diagnoses|timeline|connections|connections/\d+|packets|packets/place|packets/rail|"
    r"requests|requests/shapes|requests/\d+|rtt|rtt/chart|rtt/groups|rtt/groups/[^/]+/\d+|dumps|dumps/series|notes|"
    r"(?:files/.+)/lines|(?:dumps/.+)/\d+/[^/]+|(?:frames/.+)/\d+)"
)
"""Addresses below the link that a link which hides anything opens; whatever is new has to be thought of first."""
INTERNAL = frozenset({"within"})
"""What only a scope asks."""


class Scope(Protocol):
    """A part of an investigation."""

    def ask(self, place: str, query: str) -> str:
        """The query, narrowed to the part; raises NotFound for any other place."""

    def answer(self, place: str, content: Any) -> Any:
        """The answer without what does not belong to the part; raises NotFound."""


@dataclass(frozen=True)
class SharedView:
    """The rules of one link. `names` is None where nothing is hidden, `scope` where all of it is shown."""

    names: Names | None
    scope: Scope | None

    def ask(self, place: str, query: str) -> tuple[str, str]:
        """The address below the link and its query, in the words of the data; raises NotFound, InvalidRequest."""
        query = urlencode(
            [each for each in parse_qsl(query, keep_blank_values=True) if each[0] not in INTERNAL]
        )
        if self.names is not None:
            if not READABLE.fullmatch(place):
                raise NotFound(NOT_SHARED)
            place, query = file_by_name(place, self.names), query_by_names(place, query, self.names)
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
            content = renamed(content, self.names, place)
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
