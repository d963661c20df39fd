"""Answers are shown by the declared types of their fields, and what has no class is closed."""

from __future__ import annotations

import json
from dataclasses import dataclass, make_dataclass
from typing import Annotated, Any, Literal

import pytest

from backend.services.redaction.names import Hiding, Names
from backend.services.redaction.open_words import HIDDEN
from backend.services.redaction.pseudonyms import PrivateText
from backend.services.redaction.typed_answer import shown_content
from backend.services.result_types import EpochNs
from backend.text_classes import FixedText, HeaderText, PayloadText, ProseText, ProseValue, TextClass

ALL = Hiding(addresses=True, payload=True)
KNOWN = ("10.77.3.9", "checkout-db", "/salaries")
UNKNOWN = ("10.99.4.1", "zanzibar", "0242ac110002")


def names(hiding: Hiding = ALL) -> Names:
    sorts = ("host", "machine", "/path")
    texts = [
        PrivateText(text, sort, is_message=sort == "/path") for text, sort in zip(KNOWN, sorts, strict=True)
    ]
    return Names(texts, b"key", hiding)


@pytest.mark.promise("A new field of a result is closed behind a link that hides names, whatever its class.")
@pytest.mark.parametrize(
    ("text_class", "private"),
    [
        (each, private)
        for each in TextClass
        for private in (*KNOWN, *UNKNOWN)
        # What an analyst writes to the viewers is theirs to show, but for addresses and known names.
        if each is not TextClass.ANALYST or private not in UNKNOWN[1:]
    ],
)
def test_a_new_field_of_any_class_is_closed_by_default(text_class: TextClass, private: str) -> None:
    field: Any = Annotated[str, text_class]
    declared = make_dataclass("Answer", [("new", field), ("rows", list[field]), ("counts", dict[str, field])])
    content = {"new": private, "rows": [f"GET {private} now"], "counts": {private: f"{private} · {private}"}}
    shown = json.dumps(shown_content(content, declared, names()), ensure_ascii=False)
    assert private not in shown
    assert set(json.loads(shown)) == {"new", "rows", "counts"}


@pytest.mark.parametrize(
    ("declared", "content", "shown"),
    [
        (str, "finding", HIDDEN),
        (Any, "finding", HIDDEN),
        (object, "finding", HIDDEN),
        (str | None, "finding", HIDDEN),
        (list[str], ["finding"], [HIDDEN]),
        (list[Any], [{"kind": "finding"}], [HIDDEN]),
        (dict[str, Any], {"kind": "finding"}, {"kind": HIDDEN}),
    ],
)
def test_a_text_without_a_class_is_hidden(declared: Any, content: Any, shown: Any) -> None:
    assert shown_content(content, declared, names()) == shown


@dataclass
class Column:
    """A header's field."""

    name: FixedText
    value: HeaderText | int | None


@dataclass
class Message:
    """Told from a column by its name."""

    value: PayloadText
    name: Literal["message"] = "message"


@dataclass
class Answer:
    """Of many types."""

    role: Literal["loss", "stall"]
    at_ns: EpochNs | None
    columns: tuple[Column | Message, ...]
    measures: dict[str, ProseValue]
    text: ProseText = ""


def test_each_value_is_shown_by_its_type() -> None:
    column = {"name": "ttl", "value": 64}
    content = {
        "role": "loss",
        "at_ns": "1764000000000000000",
        "columns": [column, {"name": "message", "value": "GET /salaries"}],
        "measures": {"median": 1.5, "of": ["10.77.3.9"]},
        "text": "SYN retransmissions to 10.77.3.9:80",
    }
    shown = shown_content(content, Answer, names())
    host, path = names().text("10.77.3.9"), names().text("/salaries")
    assert shown == {
        **content,
        "columns": [column, {"name": "message", "value": f"GET {path}"}],
        "measures": {"median": 1.5, "of": [host]},
        "text": f"SYN retransmissions to {host}:80",
    }


def test_what_is_not_declared_is_not_shown() -> None:
    content = {
        "role": "zanzibar",
        "at_ns": "zanzibar",
        "columns": ["zanzibar"],
        "measures": {},
        "new": "loss",
    }
    shown = shown_content(content, Answer, names())
    assert shown == {"role": HIDDEN, "at_ns": HIDDEN, "columns": [HIDDEN], "measures": {}}


def test_words_of_messages_are_hidden_where_addresses_are_shown() -> None:
    viewer = names(Hiding(addresses=False, payload=True))
    content = {"columns": [{"name": "message", "value": "GET /zanzibar to 10.77.3.9"}]}
    shown = shown_content(content, Answer, viewer)["columns"][0]["value"]
    assert "zanzibar" not in shown
    assert "10.77.3.9" in shown
