"""What stands for what in one investigation: addresses and words, by one secret key."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from workers.decode.anonymise.addresses import AddressMap, derived
from workers.decode.anonymise.words import WordCipher, is_kept

_RUN: Final = re.compile(r"[A-Za-z0-9_-]*[A-Za-z0-9][A-Za-z0-9_-]*")
_VERSION: Final = re.compile(r"v?\d[\d.]*")


@dataclass(frozen=True)
class Pseudonyms:
    """Of every kind; the same key makes the same pseudonyms."""

    key: bytes

    @cached_property
    def addresses(self) -> AddressMap:
        """Which addresses stand for which."""
        return AddressMap(derived(self.key, "addresses"))

    @cached_property
    def _words(self) -> WordCipher:
        return WordCipher(derived(self.key, "words"))

    def word(self, word: str) -> str:
        """The word that stands for this one; as long."""
        return word if is_kept(word) else self._words.word(word)

    def label(self, label: str) -> str:
        """The same for a part of a name, where a single letter or digit may show something, too."""
        return (
            label if len(label) > 1 and is_kept(label) and not label.isdecimal() else self._words.word(label)
        )

    def address_text(self, text: str) -> str:
        """The text of the address that stands for the one that `text` is; other texts as they are."""
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return text
        if address.version == 4:
            return str(ipaddress.IPv4Address(self.addresses.ipv4(int(address))))
        return str(ipaddress.IPv6Address(self.addresses.ipv6(int(address))))

    def name(self, name: str) -> str:
        """A host or domain name, label by label. An address in it keeps its length, if need be not its meaning."""
        mapped = self.address_text(name)
        if mapped == name and _is_address(name):
            return name
        if mapped != name and len(mapped) == len(name):
            return mapped
        return ".".join(self.label(label) for label in name.split("."))

    def target(self, text: str) -> str:
        """A path with its query: every run of letters and digits that is not a known word."""
        return _RUN.sub(lambda found: self._run(found[0]), text)

    def _run(self, run: str) -> str:
        return run if _VERSION.fullmatch(run) and run.startswith("v") else self.label(run)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
