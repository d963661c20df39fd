"""Texts are renamed as they were composed; what has no parts is closed."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from backend.forensics.private_words import (
    PrivateWord,
    composed,
    composed_texts,
    listed_parts,
    of_file,
    of_line,
    of_object,
    of_rule,
    read_parts,
)
from backend.forensics.report import ClaimPart, EvidencePart
from backend.services.redaction.names import Hiding, Names
from backend.services.redaction.open_words import HIDDEN
from backend.services.redaction.pseudonyms import PrivateText

ALL = Hiding(addresses=True, payload=True)
STRANGE = [
    "Ann's printer (2nd floor)._ipp._tcp.local",
    "the packet",
    "443",
    "[a, b]; c",
    "lost",
    "x\ny",
    "connections to",
    "•••",
]


def names_of(*texts: PrivateText, text: str = "") -> Names:
    parts = read_parts(listed_parts(composed_texts([text])))
    return Names(texts, b"k" * 32, ALL, parts)


def test_a_sort_of_another_version_is_hidden() -> None:
    (words,) = read_parts({"pod web": [["", "pod "], ["sort-of-tomorrow", "web"]]}).values()
    assert [part.sort for part in words] == [None, "line"]


@pytest.mark.parametrize("name", STRANGE)
def test_a_name_is_renamed_where_it_was_put_and_nowhere_else(name: str) -> None:
    text = composed(f"The packet to 443 was lost: {PrivateWord(name, 'name')} of the connections to it.")
    assert text == f"The packet to 443 was lost: {name} of the connections to it."
    names = names_of(PrivateText(name, "name", is_message=True), text=text)
    shown = names.text(text)
    assert shown.startswith("The packet to 443 was lost: name-")
    assert shown.endswith(" of the connections to it.")
    assert name not in names.text(name)


@pytest.mark.parametrize("name", STRANGE)
def test_a_word_that_nobody_listed_is_hidden_all_the_same(name: str) -> None:
    text = composed(f"SYNs of {of_file(name)} were lost.")
    assert names_of(text=text).text(text) == f"SYNs of {HIDDEN} were lost."


@pytest.mark.parametrize(
    "word", ["checkout-7f9", "Käthe", "ip-10-1-2-3", "4-4-4-4", "payroll.acme.test", "#node7"]
)
def test_words_that_are_not_ours_are_not_shown_in_a_text_without_parts(word: str) -> None:
    assert names_of().text(f"{word} lost 3 packets") == f"{HIDDEN} lost 3 packets"


def test_an_address_is_known_as_kernels_write_it() -> None:
    names = names_of(PrivateText("10.0.0.1", "host"))
    for written in ("0a000001", "0100000A", "0100000a:1F90", "10.0.0.1", "::ffff:10.0.0.1", "10.0.0.1:80"):
        shown = names.text(f"lost {written}")
        assert written not in shown
        assert "10.0.0.1" not in shown


@pytest.mark.parametrize("name", ["default/search", "edge/gateway:http", "scan-inbound", "client", "JANEPC"])
@pytest.mark.parametrize(
    "quote", ['-m comment --comment "{} has none" -j DROP', "-m comment --comment {} -j DROP"]
)
@pytest.mark.parametrize("of", [of_rule, of_line])
def test_a_quoted_line_shows_no_name_even_of_words_that_are_ours(
    name: str, quote: str, of: Callable[[str], str]
) -> None:
    text = composed(f"The node holds the rule {of(quote.format(name))}.")
    shown = names_of(text=text).text(text)
    assert name not in shown
    assert shown.startswith("The node holds the rule -m ")
    assert shown.endswith("-j DROP.")


def test_each_object_of_a_listing_has_another_name() -> None:
    text = composed(
        f"Lost: {of_object('default/search')}:80, {of_object('edge/gateway')}:80, {of_object('10.0.0.1')}:80."
    )
    shown = names_of(text=text).text(text)
    assert re.fullmatch(r"Lost: object-[0-9a-f]{8}:80, object-[0-9a-f]{8}:80, host-[0-9a-f]{8}:80\.", shown)
    assert len(set(shown.split())) == 4


def test_parts_outlive_a_model_and_its_json() -> None:
    claim = ClaimPart(role="for", text=f"{of_file('a b')} is lost", evidence=[EvidencePart(input="x")])
    assert ClaimPart.model_validate_json(claim.model_dump_json()).text == "a b is lost"
    assert listed_parts(composed_texts(claim)) == {"a b is lost": [["file", "a b"], ["", " is lost"]]}


def test_another_key_gives_other_names() -> None:
    texts = [PrivateText(f"10.0.0.{n}", "host") for n in range(200)]
    one, other = (Names(texts, key * 32, ALL) for key in (b"a", b"b"))
    pairs = [(one.text(each.text), other.text(each.text)) for each in texts]
    assert all(first != second for first, second in pairs)
    assert len({first for first, _ in pairs}) == 200
