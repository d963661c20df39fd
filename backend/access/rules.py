"""The one place that says what each route of the API asks of its caller; a route that is not here is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backend.access.rights import Need

_OWN = "/api/v1/investigations/{investigation_id}"
_SHARED = "/api/v1/shared/{share_id}"
_RESULTS = (
    "connections",
    "connections/{cid}",
    "diagnoses",
    "dumps",
    "dumps/series",
    "dumps/{file_id}/{number}/{table}",
    "files",
    "files/{file_id}/lines",
    "findings",
    "findings/{finding_id}",
    "frames/{file_id}/{number}",
    "packets",
    "packets/place",
    "packets/rail",
    "packets/suggestions",
    "report",
    "report/findings",
    "report/findings/{finding_id}",
    "report/findings/{finding_id}/rows",
    "report/outline",
    "requests",
    "requests/shapes",
    "requests/{rid}",
    "rtt",
    "rtt/chart",
    "rtt/groups",
    "rtt/groups/{finding}/{instance}",
    "timeline",
)
"""What is read of an investigation, one's own or through a link."""

RULES: dict[str, Need] = {
    "GET /healthz": Need.OPEN,
    "GET /readyz": Need.OPEN,
    "GET /api/v1/version": Need.OPEN,
    "GET /metrics": Need.READ,
    "GET /api/v1/sign-in": Need.OPEN,
    "POST /api/v1/sign-in": Need.OPEN,
    "DELETE /api/v1/sign-in": Need.OPEN,
    # One's own; that it is a member who asks, and the old password, are asked for there.
    "PUT /api/v1/sign-in/password": Need.READ,
    "POST /api/v1/sign-in/provider": Need.OPEN,
    "GET /api/v1/sign-in/provider/callback": Need.OPEN,
    "GET /api/v1/members": Need.ADMIN,
    "POST /api/v1/members": Need.ADMIN,
    "PATCH /api/v1/members/{member_id}": Need.ADMIN,
    "DELETE /api/v1/members/{member_id}": Need.ADMIN,
    "POST /api/v1/members/{member_id}/password": Need.ADMIN,
    "GET /api/v1/tokens": Need.ADMIN,
    "POST /api/v1/tokens": Need.ADMIN,
    "DELETE /api/v1/tokens/{token_id}": Need.ADMIN,
    "GET /api/v1/collector": Need.OPEN,
    "GET /api/v1/detectors": Need.OPEN,
    "GET /api/v1/runs": Need.READ,
    "GET /api/v1/runs/of-label": Need.READ,
    "GET /api/v1/demo": Need.READ,
    "POST /api/v1/demo": Need.UPLOAD,
    "POST /api/v1/recognitions": Need.UPLOAD,
    "GET /api/v1/investigations": Need.READ,
    "POST /api/v1/investigations": Need.UPLOAD,
    f"GET {_OWN}": Need.READ,
    f"PATCH {_OWN}": Need.UPLOAD,
    f"DELETE {_OWN}": Need.DELETE,
    f"POST {_OWN}/analyses": Need.UPLOAD,
    f"POST {_OWN}/cancel": Need.UPLOAD,
    f"GET {_OWN}/progress": Need.READ,
    f"GET {_OWN}/events": Need.READ,
    f"PUT {_OWN}/files/{{name}}": Need.UPLOAD,
    f"POST {_OWN}/texts": Need.UPLOAD,
    f"GET {_OWN}/files/{{file_id}}": Need.READ,
    f"GET {_OWN}/files/{{file_id}}/content": Need.READ,
    f"DELETE {_OWN}/files/{{file_id}}": Need.DELETE,
    f"OPTIONS {_OWN}/uploads": Need.UPLOAD,
    f"POST {_OWN}/uploads": Need.UPLOAD,
    f"HEAD {_OWN}/uploads/{{upload_id}}": Need.UPLOAD,
    f"PATCH {_OWN}/uploads/{{upload_id}}": Need.UPLOAD,
    f"DELETE {_OWN}/uploads/{{upload_id}}": Need.UPLOAD,
    # A look changes nothing that anybody else sees; its answer is the frames that a reader may read.
    f"POST {_OWN}/looks": Need.READ,
    f"GET {_OWN}/looks/{{look_id}}": Need.READ,
    f"DELETE {_OWN}/looks/{{look_id}}": Need.READ,
    f"GET {_OWN}/looks/{{look_id}}/dissection": Need.READ,
    f"GET {_OWN}/looks/{{look_id}}/packets": Need.READ,
    f"GET {_OWN}/looks/{{look_id}}/content": Need.READ,
    f"GET {_OWN}/packets/export": Need.READ,
    f"GET {_OWN}/comparisons": Need.READ,
    f"POST {_OWN}/comparisons": Need.UPLOAD,
    f"GET {_OWN}/comparisons/{{comparison_id}}": Need.READ,
    f"GET {_OWN}/notes": Need.READ,
    f"POST {_OWN}/notes": Need.UPLOAD,
    f"DELETE {_OWN}/notes/{{note_id}}": Need.UPLOAD,
    f"GET {_OWN}/shares": Need.SHARE,
    f"POST {_OWN}/shares": Need.SHARE,
    f"DELETE {_OWN}/shares/{{share_id}}": Need.SHARE,
    f"POST {_SHARED}/session": Need.OPEN,
    f"GET {_SHARED}/investigation": Need.OPEN,
    f"GET {_SHARED}/notes": Need.OPEN,
    **{f"GET {_OWN}/{part}": Need.READ for part in _RESULTS},
    **{f"GET {_SHARED}/{part}": Need.OPEN for part in _RESULTS},
}


@dataclass(frozen=True)
class Rule:
    """What was decided for a request."""

    need: Need
    investigation_id: str | None
    """The one that the address names."""


def rule_for(method: str, path: str) -> Rule | None:
    """Of a path as it was decoded; the page is open, and None says that nobody has decided."""
    if not _is_api(path):
        return Rule(Need.OPEN, None)
    for pattern, need in _COMPILED.get(method, ()):
        found = pattern.fullmatch(path)
        if found is not None:
            return Rule(need, found.groupdict().get("investigation_id"))
    return None


def _is_api(path: str) -> bool:
    return path == "/metrics" or (path.startswith("/api") and path != "/api/openapi.json")


def _compile(rules: dict[str, Need]) -> dict[str, list[tuple[re.Pattern[str], Need]]]:
    compiled: dict[str, list[tuple[re.Pattern[str], Need]]] = {}
    # Of two rules for one address the one with fewer blanks to fill in is meant.
    for route in sorted(rules, key=lambda route: route.count("{")):
        method, _, path = route.partition(" ")
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))
        compiled.setdefault(method, []).append((re.compile(pattern), rules[route]))
    return compiled


_COMPILED = _compile(RULES)
