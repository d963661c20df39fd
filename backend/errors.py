"""What can go wrong in a way that a user can act on; each carries the sentence the user reads.

Anything else that is raised is a bug of ours and is shown as one, without a stack trace.
"""

# The names say what happened; a suffix would only say that it is raised.
# ruff: noqa: N818

from __future__ import annotations

from typing import Any


class StallscopeError(Exception):
    """An expected failure. `status` is the HTTP status it has when it reaches the API's edge."""

    status = 500
    title = "Something went wrong"
    retry_after_s: int | None = None
    """When it is worth trying again, where that is known."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        """What happened and what to do about it, for the person who reads the page."""

    @property
    def members(self) -> dict[str, Any]:
        """What a program gets besides."""
        return {}


class UnreadableInput(StallscopeError):
    """Bytes that are not, or no longer, what they should be."""

    status = 422
    title = "The file cannot be read"


class NoEvidence(UnreadableInput):
    """Readable, but neither a capture nor a known dump."""


class TooCostly(UnreadableInput):
    """Reading it would need more than the limits allow (`backend.limits`)."""

    title = "The file asks for too much"


class UnknownFormat(StallscopeError):
    """A file of a kind that is not evidence here; refused before anything of it is stored."""

    status = 415
    title = "This is not a capture or a dump"


class NotFound(StallscopeError):
    """What was asked for is not here."""

    status = 404
    title = "Not found"


class Gone(StallscopeError):
    """It was here, and was revoked or has expired."""

    status = 410
    title = "No longer available"


class Conflict(StallscopeError):
    """The request contradicts the state of things."""

    status = 409
    title = "This cannot be done now"


class KeyUsedBefore(StallscopeError):
    """The Idempotency-Key of another request."""

    status = 422
    title = "Idempotency-Key used before"


class Outdated(Conflict):
    """What was asked for is read from a table that an older version did not write."""

    title = "Analyzed by an older version"

    def __init__(self) -> None:
        super().__init__(
            "This investigation was analyzed by an older version of Stallscope, which did not keep what this page "
            "shows. Re-run the analysis: a button of the Files page, or POST …/analyses?anew=true."
        )


class ChecksumMismatch(StallscopeError):
    """The bytes that arrived are not the bytes that were announced."""

    status = 400
    title = "The bytes arrived changed"


class InvalidRequest(StallscopeError):
    """A request that makes no sense as it stands."""

    status = 400
    title = "The request is not understood"


class TooLarge(InvalidRequest):
    """More bytes than the request can need."""

    status = 413
    title = "Too large"


class Refused(StallscopeError):
    """A request that must not be answered (wrong origin, wrong secret)."""

    status = 403
    title = "Refused"


class SignInNeeded(StallscopeError):
    """Nobody has shown who asks, or what was shown is not good."""

    status = 401
    title = "Sign in first"


class TooManyAttempts(StallscopeError):
    """Wrong passwords, tokens or links came too often."""

    status = 429
    title = "Too many wrong attempts"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"Too many wrong attempts. Wait {retry_after_s} s and try again.")
        self.retry_after_s = retry_after_s


class Unavailable(StallscopeError):
    """Something needed is away for the moment."""

    status = 503
    title = "Not available at the moment"
    retry_after_s: int | None = 1


class DiskFull(Unavailable):
    """No room is left to write; what was to be written is not kept."""

    status = 507
    title = "Insufficient disk space"
    retry_after_s = None

    def __init__(
        self,
        sentence: str = "The disk is full. Delete investigations, or free space on the server's disk, and try again.",
        *,
        needed_bytes: int | None = None,
        free_bytes: int | None = None,
        reserve_bytes: int | None = None,
    ) -> None:
        super().__init__(sentence)
        self._numbers = {
            "needed_bytes": needed_bytes,
            "free_bytes": free_bytes,
            "reserve_bytes": reserve_bytes,
        }

    @property
    def members(self) -> dict[str, Any]:
        """The numbers, as far as they are known."""
        return {name: value for name, value in self._numbers.items() if value is not None}


class PartFailed(StallscopeError):
    """A part of the analysis that the answer consists of failed; asking once more does not help."""

    title = "This part of the report failed"


class TooSlow(StallscopeError):
    """The request's body arrives too slowly to wait for it."""

    status = 408
    title = "Request timeout"


class DatabaseAway(Unavailable):
    """The database does not answer; nothing is wrong with what was asked."""

    title = "Database not reachable"
    retry_after_s = 2

    def __init__(self) -> None:
        super().__init__("The database is not reachable; the work goes on when it is back.")


class WrongSetting(StallscopeError):
    """A setting that the product refuses to start with."""

    title = "A setting is wrong"


class Cancelled(Exception):
    """The work was called off by the user; not an error."""
