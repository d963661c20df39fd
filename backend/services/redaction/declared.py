"""What an endpoint declares to share links: which of them open it, and what each parameter of its query asks for.

An endpoint that declares nothing is closed for every link that hides something or shows a part. A text parameter that
declares nothing does not reach the endpoint from a link that hides something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Any, Final, Literal, TypeVar, get_args, get_type_hints

from pydantic.fields import FieldInfo

from backend.services.scope import Scope

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
OfView = Literal["closed", "unfiltered", "open"]
_DECLARED: Final = "shareable"


class Asked(Enum):
    """What a parameter asks for."""

    PLAIN = auto()
    """Numbers, ids, and words of this program."""
    NAME = auto()
    """An address, a vantage point or a file, as it is shown."""
    ENDPOINT_SEARCH = auto()
    """Part of an address, a port, or both."""
    PAYLOAD_SEARCH = auto()
    """The same, or words of messages."""
    METHOD = auto()
    """Of HTTP."""
    REQUEST_LINE = auto()
    """A method and a path."""
    FILTER = auto()
    """A filter of packets."""
    ORDER = auto()
    """What a list is sorted by."""


@dataclass(frozen=True)
class Shareable:
    """Which links open an endpoint, beside those that show all, perhaps with pseudonyms."""

    finding: bool
    """Links to one finding."""
    view: OfView
    """Links to one view; ``unfiltered``: those without a filter and lanes."""
    drawn: bool = False
    """Made of nothing but answers that the link gives its viewer (`backend.api.inner_answers`): it leaves as it is."""


@dataclass(frozen=True)
class Declared:
    """Of one endpoint."""

    shareable: Shareable | None
    asked: Mapping[str, Asked | None]
    """Query parameter -> what it asks for."""

    def opens_to(self, scope: Scope) -> bool:
        """Whether links with that scope open it. What is no list of packets cannot be narrowed by a filter of packets
        or by lanes."""
        if self.shareable is None or scope.is_whole:
            return self.shareable is not None
        if scope.view is None:
            return self.shareable.finding
        is_unfiltered = self.shareable.view == "unfiltered" and not scope.view.is_narrowed
        return self.shareable.view == "open" or is_unfiltered


def shareable(
    *, finding: bool = False, view: OfView = "closed", drawn: bool = False
) -> Callable[[Endpoint], Endpoint]:
    """Opens an endpoint for share links."""

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _DECLARED, Shareable(finding, view, drawn))
        return endpoint

    return declare


@cache
def declared_by(endpoint: Callable[..., Any]) -> Declared:
    """What the endpoint declares, its parameters by their names in a query."""
    asked = {
        _name(name, get_args(hint)): _asked(hint)
        for name, hint in get_type_hints(endpoint, include_extras=True).items()
        if name != "return"
    }
    return Declared(getattr(endpoint, _DECLARED, None), asked)


def _name(name: str, metadata: tuple[Any, ...]) -> str:
    return next((each.alias for each in metadata if isinstance(each, FieldInfo) and each.alias), name)


def _asked(hint: Any) -> Asked | None:
    found = next((each for each in get_args(hint) if isinstance(each, Asked)), None)
    return found or (None if _holds_text(hint) else Asked.PLAIN)


def _holds_text(hint: Any) -> bool:
    return hint is str or any(
        map(_holds_text, (each for each in get_args(hint) if not isinstance(each, str)))
    )
