"""The one place that says what each route of the API asks of its caller; a route that is not here is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from backend.access.rights import Need, Whose
from backend.storage.audit_log import Act

_OWN = "/api/v1/investigations/{investigation_id}"
_SHARED = "/api/v1/shared/{share_id}"
_RESULTS = (
    "connections",
    "connections/{cid}",
    "connections/{cid}/ladder.svg",
    "diagnoses",
    "dumps",
    "dumps/series",
    "dumps/{file_id}/{number}/{table}",
    "files",
    "files/{file_id}/lines",
    "findings",
    "findings/{finding_id}",
    "frames/{file_id}/{number}",
    "names",
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
    "requests/{rid}/breakdown.svg",
    "rtt",
    "rtt.svg",
    "rtt/chart",
    "rtt/groups",
    "rtt/groups/{finding}/{instance}",
    "timeline",
    "timeline.svg",
)
"""What is read of an investigation, one's own or through a link."""


@dataclass(frozen=True)
class Ask:
    """What a route requires of its caller."""

    need: Need
    whose: Whose | None = None
    """What it changes; None for a route that changes nothing."""
    act: Act | None = None
    """As what it is written into the audit log, when it is done and when it is refused; None for what is not."""


_OPEN, _READ, _ADMIN = Ask(Need.OPEN), Ask(Need.READ), Ask(Need.ADMIN)
_UPLOADS = Ask(Need.UPLOAD, Whose.FILE)

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def _changes(act: Act) -> Ask:
    return Ask(Need.UPLOAD, Whose.INVESTIGATION, act)


def _manages(act: Act) -> Ask:
    return Ask(Need.ADMIN, Whose.SERVERS, act)


RULES: dict[str, Ask] = {
    "GET /healthz": _OPEN,
    "GET /readyz": _OPEN,
    "GET /api/v1/version": _OPEN,
    "GET /metrics": _READ,
    "GET /api/v1/storage": _READ,
    "GET /api/v1/sign-in": _OPEN,
    "POST /api/v1/sign-in": Ask(Need.OPEN, Whose.NOBODYS, Act.SIGN_IN),
    "DELETE /api/v1/sign-in": Ask(Need.OPEN, Whose.NOBODYS, Act.SIGN_OUT),
    # One's own; that it is a member who asks, and the old password, are asked for there.
    "PUT /api/v1/sign-in/password": Ask(Need.READ, Whose.NOBODYS, Act.CHANGE_PASSWORD),
    "POST /api/v1/sign-in/provider": Ask(Need.OPEN, Whose.NOBODYS),
    "GET /api/v1/sign-in/provider/callback": _OPEN,
    "GET /api/v1/members": _ADMIN,
    "POST /api/v1/members": _manages(Act.ADD_MEMBER),
    "PATCH /api/v1/members/{member_id}": _manages(Act.CHANGE_MEMBER),
    "DELETE /api/v1/members/{member_id}": _manages(Act.REMOVE_MEMBER),
    "POST /api/v1/members/{member_id}/password": _manages(Act.RESET_PASSWORD),
    "GET /api/v1/tokens": _ADMIN,
    "POST /api/v1/tokens": _manages(Act.CREATE_TOKEN),
    "DELETE /api/v1/tokens/{token_id}": _manages(Act.REVOKE_TOKEN),
    "GET /api/v1/workers": _ADMIN,
    "GET /api/v1/audit": _ADMIN,
    "GET /api/v1/audit/download": Ask(Need.ADMIN, act=Act.READ_AUDIT_LOG),
    "GET /api/v1/collector": _OPEN,
    "GET /api/v1/causes": _OPEN,
    "GET /api/v1/detectors": _OPEN,
    "GET /api/v1/runs": _READ,
    "GET /api/v1/runs/of-label": _READ,
    "GET /api/v1/demo": _READ,
    "POST /api/v1/demo": Ask(Need.UPLOAD, Whose.NOBODYS, Act.CREATE_INVESTIGATION),
    "POST /api/v1/recognitions": Ask(Need.UPLOAD, Whose.NOBODYS),
    "GET /api/v1/investigations": _READ,
    "POST /api/v1/investigations": Ask(Need.UPLOAD, Whose.NOBODYS, Act.CREATE_INVESTIGATION),
    f"GET {_OWN}": _READ,
    f"PATCH {_OWN}": _changes(Act.RENAME_INVESTIGATION),
    f"DELETE {_OWN}": Ask(Need.DELETE, Whose.INVESTIGATION, Act.DELETE_INVESTIGATION),
    f"POST {_OWN}/analyses": _changes(Act.START_ANALYSIS),
    f"POST {_OWN}/cancel": _changes(Act.CANCEL_ANALYSIS),
    f"GET {_OWN}/progress": _READ,
    f"GET {_OWN}/events": _READ,
    # Whether it may replace a file of that name is asked when the bytes are here.
    f"PUT {_OWN}/files/{{name}}": _changes(Act.UPLOAD_FILE),
    f"POST {_OWN}/texts": _changes(Act.UPLOAD_FILE),
    f"GET {_OWN}/files/{{file_id}}": _READ,
    f"GET {_OWN}/files/{{file_id}}/content": Ask(Need.READ, Whose.ORIGINAL, Act.READ_ORIGINAL),
    f"DELETE {_OWN}/files/{{file_id}}": Ask(Need.DELETE, Whose.FILE, Act.DELETE_FILE),
    f"OPTIONS {_OWN}/uploads": Ask(Need.UPLOAD),
    f"POST {_OWN}/uploads": _changes(Act.UPLOAD_FILE),
    f"HEAD {_OWN}/uploads/{{upload_id}}": _UPLOADS,
    f"PATCH {_OWN}/uploads/{{upload_id}}": _UPLOADS,
    f"DELETE {_OWN}/uploads/{{upload_id}}": _UPLOADS,
    # A dissection changes nothing that anybody else sees; its answer is the frames that a reader may read.
    f"POST {_OWN}/looks": Ask(Need.READ, Whose.NOBODYS),
    f"GET {_OWN}/looks/{{look_id}}": _READ,
    f"DELETE {_OWN}/looks/{{look_id}}": Ask(Need.READ, Whose.DISSECTION),
    f"GET {_OWN}/looks/{{look_id}}/dissection": _READ,
    f"GET {_OWN}/looks/{{look_id}}/packets": _READ,
    f"GET {_OWN}/looks/{{look_id}}/wireshark": _READ,
    f"GET {_OWN}/looks/{{look_id}}/content": Ask(Need.READ, Whose.EXTRACT, Act.EXPORT_PACKETS),
    f"GET {_OWN}/packets/export": Ask(Need.READ, act=Act.EXPORT_PACKETS),
    f"GET {_OWN}/comparisons": _READ,
    f"POST {_OWN}/comparisons": Ask(Need.UPLOAD, Whose.ADDED),
    f"GET {_OWN}/comparisons/{{comparison_id}}": _READ,
    f"GET {_OWN}/notes": _READ,
    f"POST {_OWN}/notes": Ask(Need.UPLOAD, Whose.ADDED),
    f"DELETE {_OWN}/notes/{{note_id}}": Ask(Need.UPLOAD, Whose.NOTE, Act.DELETE_NOTE),
    f"GET {_OWN}/shares": Ask(Need.SHARE, Whose.INVESTIGATION),
    f"POST {_OWN}/shares": Ask(Need.SHARE, Whose.INVESTIGATION, Act.SHARE),
    f"DELETE {_OWN}/shares/{{share_id}}": Ask(Need.SHARE, Whose.INVESTIGATION, Act.REVOKE_LINK),
    f"POST {_SHARED}/session": Ask(Need.OPEN, Whose.NOBODYS, Act.OPEN_LINK),
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


_ID = re.compile("[0-9a-f]{1,32}")
_BY_NAME = frozenset({"file_id", "finding_id"})


@dataclass(frozen=True)
class Rule:
    """What was decided for a request."""

    need: Need
    whose: Whose | None = None
    act: Act | None = None
    named: Mapping[str, str] = field(default_factory=dict)
    """What the address names, as ``investigation_id``."""


def rule_for(route: str, parameters: Mapping[str, str]) -> Rule | None:
    """Of a route as the router found it (``GET /healthz``), never of an address; None says that nobody has decided."""
    ask = RULES.get(route) or PAGE_RULES.get(route)
    return None if ask is None else Rule(ask.need, ask.whose, ask.act, parameters)


def names_something(named: Mapping[str, str]) -> bool:
    """Whether each id in an address could be one; files and findings go by names as well."""
    ids = (value for name, value in named.items() if name.endswith("_id") and name not in _BY_NAME)
    return all(_ID.fullmatch(value) for value in ids)


def check_table(rules: Mapping[str, Ask]) -> None:
    """A route that changes something says whose thing that is; raises AssertionError."""
    for route, ask in rules.items():
        reads = route.partition(" ")[0] in SAFE_METHODS
        assert reads or ask.whose is not None, f"say in RULES whose thing {route} changes"


check_table(RULES)
