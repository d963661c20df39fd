"""Every text that an answer below a share link may hold says what it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from fastapi.routing import iter_route_contexts

from backend.api.app import _routes
from backend.services.redaction.declared import declared_by
from backend.services.redaction.typed_answer import fields_of
from backend.text_classes import FixedText, ProseValue, TextClass

BELOW = "/api/v1/shared/{share_id}/"
ROUTES = {
    route.path_format.removeprefix(BELOW): route
    for route in iter_route_contexts(list(_routes()))
    if route.path_format
    and route.path_format.startswith(BELOW)
    and not route.path_format.endswith("/session")
}
"""Each but the one that opens the link: it is answered before there is a viewer."""
ANSWERS = {path: route.response_model for path, route in ROUTES.items()}


@dataclass
class Unclassified:
    """What a new result may look like."""

    kind: FixedText
    address: str
    rows: list[dict[str, Any]]
    known: ProseValue = None


def without_class(declared: Any, path: str, seen: set[Any]) -> Iterator[str]:
    """Paths of the texts, and of values that may be texts, without a class."""
    given, fields = get_args(declared), fields_of(declared)
    if declared in (str, bytes, object, Any):
        yield path
    elif any(isinstance(each, TextClass) for each in given) or declared in seen:
        return
    elif fields is not None:
        seen.add(declared)
        for name, each in fields.items():
            yield from without_class(each, f"{declared.__name__}.{name}", seen)
    elif get_origin(declared) is not Literal:
        for each in _parts(get_origin(declared), given):
            yield from without_class(each, path, seen)


def _parts(origin: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Of a type, without the metadata of an annotated one and without the keys of a mapping."""
    if origin is Annotated:
        return given[:1]
    return given[1:] if origin is dict else given


def test_every_route_below_a_link_declares_its_answer() -> None:
    assert len(ANSWERS) > 25
    assert [route for route, declared in ANSWERS.items() if declared is None] == []


@pytest.mark.parametrize("route", ANSWERS)
def test_every_text_of_an_answer_has_a_class(route: str) -> None:
    assert list(without_class(ANSWERS[route], route, set())) == []


@pytest.mark.parametrize("route", ROUTES)
def test_every_text_of_a_question_declares_what_it_asks_for(route: str) -> None:
    declared = declared_by(ROUTES[route].endpoint)
    if declared.shareable is not None:
        unknown = {key for key, kind in declared.asked.items() if kind is None and f"{{{key}}}" not in route}
        assert unknown <= {"subject"}


def test_a_text_without_a_class_is_found() -> None:
    assert list(without_class(Unclassified, "", set())) == ["Unclassified.address", "Unclassified.rows"]


def test_words_of_enumerations_are_fixed() -> None:
    class Right(Enum):
        READ = "read"

    assert list(without_class(list[Right], "", set())) == []
