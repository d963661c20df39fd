"""What a route asks for, and what roles of members and scopes of tokens give."""

from __future__ import annotations

from enum import StrEnum


class Need(StrEnum):
    """What a route requires of its caller."""

    OPEN = "open"
    """Nothing. Share links are here: their secret decides."""
    READ = "read"
    UPLOAD = "upload"
    """Create investigations, bring files, compare, write notes; rename, start and cancel what is one's own."""
    SHARE = "share"
    DELETE = "delete"
    ADMIN = "admin"
    """Members and tokens, and whatever belongs to others."""


class Whose(StrEnum):
    """What a change touches, and so whose it has to be. Owner: the member who created the investigation, or who made
    the part of it that is meant. A token has what it made itself. Admins may change everything."""

    NOBODYS = "nobody's"
    """Nothing that is there already: something new, a question, or one's own sign-in."""
    SERVERS = "the server's"
    """Members and tokens, for which the need alone decides."""
    ADDED = "added"
    """Beside what is there: members may, to any investigation; a token to what it made."""
    INVESTIGATION = "investigation"
    FILE = "file"
    """``{file_id}`` or ``{upload_id}``."""
    ORIGINAL = "original"
    """The bytes of ``{file_id}`` as they came: the owner's, unless they are known to hold no credentials."""
    EXTRACT = "extract"
    """What ``{look_id}`` has cut out of captures: the owner's, unless it is anonymized or the captures are known to
    hold no credentials."""
    NOTE = "note"
    """``{note_id}``."""
    DISSECTION = "dissection"
    """``{look_id}``, of who asked for it, too."""


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


class Right(StrEnum):
    """What the caller may do with one investigation."""

    CHANGE = "change"
    """Rename, upload into, re-run and cancel."""
    SHARE = "share"
    DELETE = "delete"
    DOWNLOAD = "download"
    """Originals that hold credentials, or that nobody has checked for them."""


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
