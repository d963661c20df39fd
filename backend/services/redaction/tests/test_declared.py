"""An endpoint opens for a link by what it declares, and for none by default."""

from __future__ import annotations

from typing import Annotated

import pytest

from backend.errors import InvalidRequest, NotFound
from backend.services.redaction.declared import Asked, declared_by, shareable
from backend.services.redaction.names import Hiding, Names
from backend.services.redaction.place import Place
from backend.services.redaction.shared_view import SharedView

VIEW = SharedView(Names([], b"key", Hiding(addresses=True, payload=True)), None)


def new_endpoint(limit: int = 10) -> None:
    """Declares nothing."""


@shareable()
def open_endpoint(
    limit: int = 10,
    address: Annotated[str, Asked.NAME] = "",
    new: str = "",
    within: Annotated[list[str] | None, Asked.WITHIN] = None,
) -> None:
    """One of its parameters declares nothing."""


def test_an_endpoint_that_declares_nothing_is_closed() -> None:
    with pytest.raises(NotFound):
        VIEW.ask(Place("new", {}, declared_by(new_endpoint)), "limit=1")


def test_a_text_that_declares_nothing_does_not_reach_the_endpoint() -> None:
    place = Place("open", {}, declared_by(open_endpoint))
    assert VIEW.ask(place, "limit=1&new=10.77.3.9&unheard=of")[1] == "limit=1"


def test_only_a_scope_sets_filters_within() -> None:
    place = Place("open", {}, declared_by(open_endpoint))
    assert SharedView(None, None).ask(place, "within=tcp&limit=1")[1] == "limit=1"


def test_a_name_that_is_not_shown_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        VIEW.ask(Place("open", {}, declared_by(open_endpoint)), "address=10.77.3.9")
