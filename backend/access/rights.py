"""What a route asks for, and what roles of members and scopes of tokens give."""

from __future__ import annotations

from enum import StrEnum


class Need(StrEnum):
    """What a route asks of its caller."""

    OPEN = "open"
    """Nothing. Share links are here: their secret decides."""
    READ = "read"
    UPLOAD = "upload"
    """Create investigations, bring files, compare, rename, start and cancel."""
    SHARE = "share"
    DELETE = "delete"
    """Remove what one created oneself; admins remove anything."""
    ADMIN = "admin"
    """Members and tokens."""


class Role(StrEnum):
    """Of a member."""

    VIEWER = "viewer"
    ANALYST = "analyst"
    ADMIN = "admin"


class Scope(StrEnum):
    """Of a token."""

    READ = "read"
    UPLOAD = "upload"
    ADMIN = "admin"


EVERYTHING = frozenset(Need)
ROLE_GIVES = {
    Role.VIEWER: frozenset({Need.OPEN, Need.READ}),
    Role.ANALYST: frozenset({Need.OPEN, Need.READ, Need.UPLOAD, Need.SHARE, Need.DELETE}),
    Role.ADMIN: EVERYTHING,
}
SCOPE_GIVES = {
    Scope.READ: frozenset({Need.OPEN, Need.READ}),
    Scope.UPLOAD: frozenset({Need.OPEN, Need.READ, Need.UPLOAD}),
    Scope.ADMIN: EVERYTHING,
}
