"""An endpoint opens for a link by what it declares, and for none by default."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import pytest

from backend.errors import InvalidRequest, NotFound
from backend.services.redaction.declared import Asked, Declared, Shareable, declared_by, shareable
from backend.services.redaction.names import Hiding, Names
from backend.services.redaction.place import Place
from backend.services.redaction.shared_view import SharedView
from backend.services.scope import WHOLE, Scope, View

VIEW = SharedView(Names([], b"key", Hiding(addresses=True, payload=True)), WHOLE)


def new_endpoint(limit: int = 10) -> None:
    """Declares nothing."""


@shareable()
def open_endpoint(
    limit: int = 10,
    address: Annotated[str, Asked.NAME] = "",
    new: str = "",
) -> None:
    """One of its parameters declares nothing."""


def test_an_endpoint_that_declares_nothing_is_closed() -> None:
    with pytest.raises(NotFound):
        VIEW.ask(Place("new", {}, declared_by(new_endpoint)), "limit=1")


def test_a_text_that_declares_nothing_does_not_reach_the_endpoint() -> None:
    place = Place("open", {}, declared_by(open_endpoint))
    assert VIEW.ask(place, "limit=1&new=10.77.3.9&unheard=of")[1] == "limit=1"


def test_an_endpoint_opens_for_the_scopes_it_declares() -> None:
    finding, view = Scope(frozenset({"f1"}), "f1"), View(0, 10, "", (), lambda view, frame: False)
    filtered = replace(view, filter="tcp")
    scopes = (WHOLE, finding, Scope(frozenset(), view=view), Scope(frozenset(), view=filtered))

    def opens(**declared: Any) -> list[bool]:
        return [Declared(Shareable(**declared), {}).opens_to(scope) for scope in scopes]

    assert opens(finding=False, view="closed") == [True, False, False, False]
    assert opens(finding=True, view="closed") == [True, True, False, False]
    assert opens(finding=False, view="unfiltered") == [True, False, True, False]
    assert opens(finding=False, view="open") == [True, False, True, True]
    assert not any(Declared(None, {}).opens_to(scope) for scope in scopes)


def test_a_name_that_is_not_shown_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        VIEW.ask(Place("open", {}, declared_by(open_endpoint)), "address=10.77.3.9")
