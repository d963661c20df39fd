"""The one place that says what each route of the API asks of its caller; a route that is not here is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from backend.access.rights import Need, Whose

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


@dataclass(frozen=True)
class Ask:
    """What a route asks of its caller."""

    need: Need
    whose: Whose | None = None
    """What it changes; None for a route that changes nothing."""


_OPEN, _READ, _ADMIN = Ask(Need.OPEN), Ask(Need.READ), Ask(Need.ADMIN)
_CHANGES_OWN = Ask(Need.UPLOAD, Whose.INVESTIGATION)
_UPLOADS = Ask(Need.UPLOAD, Whose.FILE)
_SHARES = Ask(Need.SHARE, Whose.INVESTIGATION)
_OF_SERVER = Ask(Need.ADMIN, Whose.SERVERS)

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

RULES: dict[str, Ask] = {
    "GET /healthz": _OPEN,
    "GET /readyz": _OPEN,
    "GET /api/v1/version": _OPEN,
    "GET /metrics": _READ,
    "GET /api/v1/sign-in": _OPEN,
    "POST /api/v1/sign-in": Ask(Need.OPEN, Whose.NOBODYS),
    "DELETE /api/v1/sign-in": Ask(Need.OPEN, Whose.NOBODYS),
    # One's own; that it is a member who asks, and the old password, are asked for there.
    "PUT /api/v1/sign-in/password": Ask(Need.READ, Whose.NOBODYS),
    "POST /api/v1/sign-in/provider": Ask(Need.OPEN, Whose.NOBODYS),
    "GET /api/v1/sign-in/provider/callback": _OPEN,
    "GET /api/v1/members": _ADMIN,
    "POST /api/v1/members": _OF_SERVER,
    "PATCH /api/v1/members/{member_id}": _OF_SERVER,
    "DELETE /api/v1/members/{member_id}": _OF_SERVER,
    "POST /api/v1/members/{member_id}/password": _OF_SERVER,
    "GET /api/v1/tokens": _ADMIN,
    "POST /api/v1/tokens": _OF_SERVER,
    "DELETE /api/v1/tokens/{token_id}": _OF_SERVER,
    "GET /api/v1/collector": _OPEN,
    "GET /api/v1/detectors": _OPEN,
    "GET /api/v1/runs": _READ,
    "GET /api/v1/runs/of-label": _READ,
    "GET /api/v1/demo": _READ,
    "POST /api/v1/demo": Ask(Need.UPLOAD, Whose.NOBODYS),
    "POST /api/v1/recognitions": Ask(Need.UPLOAD, Whose.NOBODYS),
    "GET /api/v1/investigations": _READ,
    "POST /api/v1/investigations": Ask(Need.UPLOAD, Whose.NOBODYS),
    f"GET {_OWN}": _READ,
    f"PATCH {_OWN}": _CHANGES_OWN,
    f"DELETE {_OWN}": Ask(Need.DELETE, Whose.INVESTIGATION),
    f"POST {_OWN}/analyses": _CHANGES_OWN,
    f"POST {_OWN}/cancel": _CHANGES_OWN,
    f"GET {_OWN}/progress": _READ,
    f"GET {_OWN}/events": _READ,
    # Whether it may replace a file of that name is asked when the bytes are here.
    f"PUT {_OWN}/files/{{name}}": _CHANGES_OWN,
    f"POST {_OWN}/texts": _CHANGES_OWN,
    f"GET {_OWN}/files/{{file_id}}": _READ,
    f"GET {_OWN}/files/{{file_id}}/content": Ask(Need.READ, Whose.ORIGINAL),
    f"DELETE {_OWN}/files/{{file_id}}": Ask(Need.DELETE, Whose.FILE),
    f"OPTIONS {_OWN}/uploads": Ask(Need.UPLOAD),
    f"POST {_OWN}/uploads": _CHANGES_OWN,
    f"HEAD {_OWN}/uploads/{{upload_id}}": _UPLOADS,
    f"PATCH {_OWN}/uploads/{{upload_id}}": _UPLOADS,
    f"DELETE {_OWN}/uploads/{{upload_id}}": _UPLOADS,
    # A dissection changes nothing that anybody else sees; its answer is the frames that a reader may read.
    f"POST {_OWN}/looks": Ask(Need.READ, Whose.NOBODYS),
    f"GET {_OWN}/looks/{{look_id}}": _READ,
    f"DELETE {_OWN}/looks/{{look_id}}": Ask(Need.READ, Whose.DISSECTION),
    f"GET {_OWN}/looks/{{look_id}}/dissection": _READ,
    f"GET {_OWN}/looks/{{look_id}}/packets": _READ,
    f"GET {_OWN}/looks/{{look_id}}/content": Ask(Need.READ, Whose.EXTRACT),
    f"GET {_OWN}/packets/export": _READ,
    f"GET {_OWN}/comparisons": _READ,
    f"POST {_OWN}/comparisons": Ask(Need.UPLOAD, Whose.ADDED),
    f"GET {_OWN}/comparisons/{{comparison_id}}": _READ,
    f"GET {_OWN}/notes": _READ,
    f"POST {_OWN}/notes": Ask(Need.UPLOAD, Whose.ADDED),
    f"DELETE {_OWN}/notes/{{note_id}}": Ask(Need.UPLOAD, Whose.NOTE),
    f"GET {_OWN}/shares": _SHARES,
    f"POST {_OWN}/shares": _SHARES,
    f"DELETE {_OWN}/shares/{{share_id}}": _SHARES,
    f"POST {_SHARED}/session": Ask(Need.OPEN, Whose.NOBODYS),
    f"GET {_SHARED}/investigation": _OPEN,
    f"GET {_SHARED}/notes": _OPEN,
    **{f"GET {_OWN}/{part}": _READ for part in _RESULTS},
    **{f"GET {_SHARED}/{part}": _OPEN for part in _RESULTS},
}


PAGE_RULES: dict[str, Ask] = {
    "GET /api/openapi.json": _OPEN,
    "GET /": _OPEN,
    "GET /new": _OPEN,
    "GET /capture": _OPEN,
    "GET /detectors": _OPEN,
    "GET /detectors/{rest}": _OPEN,
    "GET /compare": _OPEN,
    "GET /ci": _OPEN,
    "GET /settings": _OPEN,
    "GET /i/{rest}": _OPEN,
    "GET /s/{share_id}": _OPEN,
    "GET /s/{share_id}/preview.png": _OPEN,
    "GET /s/{share_id}/{rest}": _OPEN,
    "GET /{path}": _OPEN,
}
"""The web page, which holds no evidence, and the API's description of itself."""


@dataclass(frozen=True)
class Rule:
    """What was decided for a request."""

    need: Need
    whose: Whose | None = None
    named: Mapping[str, str] = field(default_factory=dict)
    """What the address names, as ``investigation_id``."""


def rule_for(route: str, parameters: Mapping[str, str]) -> Rule | None:
    """Of a route as the router found it (``GET /healthz``), never of an address; None says that nobody has decided."""
    ask = RULES.get(route) or PAGE_RULES.get(route)
    return None if ask is None else Rule(ask.need, ask.whose, parameters)


def check_table(rules: Mapping[str, Ask]) -> None:
    """A route that changes something says whose thing that is; raises AssertionError."""
    for route, ask in rules.items():
        reads = route.partition(" ")[0] in SAFE_METHODS
        assert reads or ask.whose is not None, f"say in RULES whose thing {route} changes"


check_table(RULES)
