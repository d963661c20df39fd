"""Other names for what must not be shown: the same one everywhere, and none that can be turned back from outside."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from backend.forensics.private_words import Part
from backend.services.redaction.encoded_addresses import without_encoded
from backend.services.redaction.listing_words import bare_listing, is_harmless
from backend.services.redaction.message_words import without_messages
from backend.services.redaction.open_words import HIDDEN, INTERFACE
from backend.services.redaction.own_words import TAIL, TOKEN, is_number, is_ordinary, is_own
from backend.services.redaction.phrases import Phrases
from backend.services.redaction.pseudonyms import PrivateText, number_of, pseudonyms


@dataclass(frozen=True)
class Hiding:
    """What a link keeps to its maker."""

    addresses: bool
    """Addresses, names of files, machines, capture points, and the label."""
    payload: bool
    """Words of messages: paths, hosts, lookups, programs."""


KEPT_ADDRESSES = frozenset(
    {
        # Addresses that mean the same everywhere; diagnoses of metadata services are about them.
        "0.0.0.0", "127.0.0.1", "255.255.255.255", "::", "::1",
        "169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::254", "fd00:ec2::23", "100.100.100.200",
    }
)  # fmt: skip
_V4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_V6 = re.compile(r"(?<![\w:.])[0-9a-fA-F:]{0,39}:[0-9a-fA-F:]*:[0-9a-fA-F:.]*(?![\w:])")
_MAC = re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}(?![\w:])")
_URL = re.compile(r"(?P<host>[\w.:•-]+:\d+|https?://[^/\s]+)(?P<path>/\S*)")
_HEX_ADDRESS = re.compile(r"(?:0x)?([0-9a-fA-F]{8})(?::[0-9a-fA-F]{1,4})?")
_COMPUTED = re.compile(r"(?:host|mac)-[0-9a-f]{8}")
_STANDS = "\0"
_TEXTS_KEPT: Final = 20_000


class Names:
    """What one link shows for the private texts of one investigation.

    A text that an analysis composed is taken apart as it was put together: its private words are renamed, each by its
    sort. Of any other text what is known is renamed, and words that this program does not write are not shown."""

    def __init__(
        self,
        texts: Iterable[PrivateText],
        key: bytes,
        hiding: Hiding,
        composed: Mapping[str, tuple[Part, ...]] | None = None,
    ) -> None:
        """`composed` are the parts of the texts of the report."""
        self.hiding = hiding
        self._key = key
        texts = list(dict.fromkeys(texts))
        hidden = [each for each in texts if (hiding.payload if each.is_message else hiding.addresses)]
        names = pseudonyms(key, hidden)
        self._shown = {**{each.text: each.text for each in texts}, **names}
        if hiding.addresses and not hiding.payload:
            self._shown |= {each.text: self._respelled(each.text) for each in texts if each.is_message}
        self._origins = {shown: text for text, shown in self._shown.items()}
        phrases = [text for text in self._shown if _is_phrase(text)]
        self._phrases = Phrases(phrases)
        self._strange = Phrases(text for text in phrases if not all(map(is_own, TOKEN.findall(text))))
        """Those that cannot be words of ours: of a composed text the others are renamed where they were put."""
        self._composed = composed or {}
        self.text = lru_cache(_TEXTS_KEPT)(self._text)
        """The text with every private name in it replaced."""

    def origin(self, shown: str) -> str | None:
        """What a shown name stands for."""
        return self._origins.get(shown)

    def is_shown(self, text: str) -> bool:
        """Whether it is one of the names that stand for something."""
        return text in self._origins

    def of_people(self, text: str) -> str:
        """A text that somebody wrote to be read by viewers: known names in it are replaced, its other words stay."""
        return self._shown.get(text) or self._ours(text, closed=False)

    def of_line(self, text: str) -> str:
        """A line of a listing: known names in it are replaced. Where addresses are hidden, every word is that may be
        somebody's own, though this program writes it as well; else, where payload is, the words of messages."""
        if self.hiding.addresses:
            return bare_listing(text, self)
        shown = self.text(text)
        return without_messages(shown, lambda name: is_harmless(name, self)) if self.hiding.payload else shown

    def is_hex_address(self, word: str) -> bool:
        """Whether it is an address of the investigation as kernels write it: eight digits, in either order."""
        found = _HEX_ADDRESS.fullmatch(word)
        if found is None:
            return False
        four = bytes.fromhex(found[1])
        return any(str(ipaddress.IPv4Address(octets)) in self._shown for octets in (four, four[::-1]))

    def _text(self, text: str) -> str:
        whole = self._shown.get(text)
        if whole is not None:
            return whole
        parts = self._composed.get(text)
        if parts is None:
            return self._ours(text, closed=self.hiding.addresses)
        return "".join(
            self._word(part)
            if part.sort
            else self._ours(part.text, closed=self.hiding.addresses, phrases=self._strange)
            for part in parts
        )

    def _word(self, part: Part) -> str:
        if part.sort == "name" and not self.hiding.payload:
            return self._respelled(part.text) if self.hiding.addresses else part.text
        if part.sort in ("rule", "line"):
            return self.of_line(part.text)
        if part.sort != "name" and not self.hiding.addresses:
            return part.text
        shown = self._shown.get(part.text) or self._shown.get(part.text.lower().rstrip("."))
        if shown is not None:
            return shown
        if part.sort == "object":
            return self._address(part.text) or self._computed("object", part.text)
        is_public = part.text in ("", ".") or (part.sort == "place" and INTERFACE.fullmatch(part.text))
        return part.text if is_public else HIDDEN

    def _ours(self, text: str, *, closed: bool, phrases: Phrases | None = None) -> str:
        return "".join(
            stretch if stands else TOKEN.sub(lambda found: self._token(found[0], closed=closed), stretch)
            for stretch, stands in (phrases or self._phrases).replaced(text, self._shown.__getitem__)
        )

    def _token(self, token: str, *, closed: bool) -> str:
        bare = token.rstrip(TAIL)
        tail = token[len(bare) :]
        shown = self._known(bare)
        if shown is not None:
            return shown + tail
        url = _URL.fullmatch(bare)
        if url and not is_number(bare):
            path = url["path"]
            host = self._token(url["host"], closed=closed)
            if path != "/" and self.hiding.payload:
                path = self._shown.get(path, "/" + HIDDEN)
            elif self.hiding.addresses:
                path = self._respelled(path)
            return f"{host}{path}{tail}"
        if self.hiding.addresses:
            stood: list[str] = []
            rest = self._without_addresses(bare, stood)
            if stood and (not closed or self._is_harmless(rest.replace(_STANDS, ""))):
                return re.sub(_STANDS, lambda _: stood.pop(0), rest) + tail
        return token if not closed or self._is_harmless(bare) else HIDDEN + tail

    def _known(self, bare: str) -> str | None:
        """The name for a word, or for a word before a port or a number."""
        head, mark, number = re.fullmatch(r"(.*?)([:#]?)(\d*)", bare, re.DOTALL).groups()  # type: ignore[union-attr]
        for word, rest in ((bare, ""), (head, mark + number)):
            if word and not is_ordinary(word) and (not rest or mark):
                shown = self._shown.get(word) or self._shown.get(word.lower())
                if shown is not None:
                    return shown + rest
        return None

    def _without_addresses(self, bare: str, stood: list[str]) -> str:
        def stands(shown: str) -> str:
            stood.append(shown)
            return _STANDS

        for pattern in (_MAC, _V4, _V6):
            found = pattern.search(bare)
            if found is None:
                continue
            shown = self._computed("mac", found[0].lower()) if pattern is _MAC else self._address(found[0])
            if shown is not None:
                return (
                    bare[: found.start()]
                    + stands(shown)
                    + self._without_addresses(bare[found.end() :], stood)
                )
        return bare

    def _is_harmless(self, word: str) -> bool:
        if not word or self.is_shown(word) or _COMPUTED.fullmatch(word) or INTERFACE.fullmatch(word):
            return True
        if self.is_hex_address(word):
            return False
        if word in KEPT_ADDRESSES or word.rpartition(":")[0].strip("[]") in KEPT_ADDRESSES:
            return True
        return is_number(word) or is_own(word)

    def _address(self, text: str) -> str | None:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return None
        mapped = getattr(address, "ipv4_mapped", None)
        plain = str(mapped or address)
        if plain in KEPT_ADDRESSES or address.is_multicast:
            return text
        return self._shown.get(plain) or self._shown.get(str(address)) or self._computed("host", plain)

    def _respelled(self, text: str) -> str:
        """A word of messages that is shown, with names for the addresses that are written in it."""
        return without_encoded(text, self._address, self._shown.get)

    def _computed(self, sort: str, text: str) -> str:
        return f"{sort}-{number_of(self._key, text) >> 224:08x}"


def _is_phrase(text: str) -> bool:
    """Whether it may stand for itself in a text, though it is not one of its words, or only part of one."""
    return len(text) > 2 and not is_ordinary(text) and not _V4.fullmatch(text)
