"""The API's description: what FastAPI writes of the routes, and every way in which each can refuse (RFC 9457)."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from backend.api.problems import MEDIA_TYPE, Problem

_EVERYWHERE: Final = {
    400: "The request is malformed; the detail states where",
    401: "Nobody is signed in, or the token or session is unknown or expired",
    403: "The caller's role, scope or link does not allow it",
    404: "Not found, or not visible to the caller",
    405: "Method not allowed; the header Allow lists the allowed ones",
    421: "The header Host names another server",
    422: "A parameter or the body does not match this description",
    429: "Too many wrong secrets from this address, or too many requests; Retry-After gives the time until a retry",
    503: "The database or the storage is not reachable; Retry-After gives the time until a retry",
}
_CHANGING: Final = {
    408: "The body arrives too slowly",
    409: "It conflicts with the present state",
    413: "The body is larger than the limit",
    415: "Unsupported media type or format of the body",
    507: "Insufficient disk space",
}
_BELOW_A_LINK: Final = {410: "The link has expired or was revoked"}
# Written out: what the standard library calls them depends on its version.
_NAMES: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    408: "RequestTimeout",
    409: "Conflict",
    410: "Gone",
    413: "ContentTooLarge",
    415: "UnsupportedMediaType",
    421: "MisdirectedRequest",
    422: "UnprocessableContent",
    429: "TooManyRequests",
    503: "ServiceUnavailable",
    507: "InsufficientStorage",
}
REPORT_FORMS: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "content": {
            media_type: {"schema": {"type": "string"}}
            for media_type in ("application/xml", "application/sarif+json", "text/markdown")
        }
    }
}
"""The forms of a report and of a comparison besides their JSON."""
_SAFE: Final = frozenset({"get", "head", "options"})
_METHODS: Final = _SAFE | {"put", "post", "delete", "patch", "trace"}


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, made once; `app.openapi` is this."""
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        document["components"]["schemas"]["Problem"] = Problem.model_json_schema()
        document["components"]["responses"] = {
            _NAMES[status]: _refusal(description)
            for status, description in (_EVERYWHERE | _CHANGING | _BELOW_A_LINK).items()
        }
        for unused in ("HTTPValidationError", "ValidationError"):
            document["components"]["schemas"].pop(unused, None)
        for address, operations in document["paths"].items():
            for method in operations.keys() & _METHODS:
                _add_refusals(operations[method]["responses"], address, method)
        _require_what_is_always_sent(document)
        app.openapi_schema = document
    return app.openapi_schema


def _require_what_is_always_sent(document: dict[str, Any]) -> None:
    """A property with a default is optional in what is asked; in an answer it is always there."""
    schemas = document["components"]["schemas"]
    bodies = [
        operation["requestBody"]
        for operations in document["paths"].values()
        for operation in operations.values()
        if isinstance(operation, dict) and "requestBody" in operation
    ]
    asked = _referred(bodies, schemas)
    for name in schemas.keys() - asked - {"Problem"}:
        if "properties" in schemas[name]:
            schemas[name]["required"] = list(schemas[name]["properties"])


def _referred(part: Any, schemas: dict[str, Any]) -> set[str]:
    """Names of the schemas that the part refers to, through any number of others."""
    found: set[str] = set()
    left = [part]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            name = str(one.get("$ref", "")).removeprefix("#/components/schemas/")
            if name in schemas and name not in found:
                found.add(name)
                left.append(schemas[name])
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
    return found


def _add_refusals(responses: dict[str, Any], address: str, method: str) -> None:
    refusals = dict(_EVERYWHERE)
    if method not in _SAFE:
        refusals |= _CHANGING
    if "/shared/" in address:
        refusals |= _BELOW_A_LINK
    responses.pop("422", None)
    for status in refusals:
        responses.setdefault(str(status), {"$ref": f"#/components/responses/{_NAMES[status]}"})


def _refusal(description: str) -> dict[str, Any]:
    return {
        "description": description,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
