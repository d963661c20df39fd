"""Which words stand for which: the same word always the same one, as long, with letters, digits and signs at the same
places, so that it fits where the other was.

A word is enciphered, not hashed (a Feistel network over its letters and digits, as in NIST SP 800-38G): two words never
become one, or counts of names would change."""

from __future__ import annotations

import hashlib
import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

_ROUNDS: Final = 8
_HEX: Final = re.compile(r"[0-9a-fA-F-]{8,}")
_WALK_AT_MOST: Final = 64
_RADIX: Final = {"d": 10, "l": 26, "h": 6}


@cache
def kept_words() -> frozenset[str]:
    """Words that kernels, tools and protocols use; lower case."""
    text = files(__package__).joinpath("kept_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


def is_kept(word: str) -> bool:
    """Whether the word names nobody."""
    return len(word) < 2 or word.lower() in kept_words()


class WordCipher:
    """The permutation of words that a secret key makes."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.word = lru_cache(1 << 17)(self._word)
        """The word that stands for one; of letters in capitals the places stay."""

    def _word(self, word: str) -> str:
        """Words that are kept are not met: another round leads past them, and back."""
        found = word.lower()
        for _ in range(_WALK_AT_MOST):
            found = self._enciphered(found)
            if len(found) < 2 or not is_kept(found):
                break
        return "".join(new.upper() if old.isupper() else new for old, new in zip(word, found, strict=True))

    def _enciphered(self, word: str) -> str:
        form = _form_of(word)
        places = [at for at, sort in enumerate(form) if sort != "-"]
        radix = [_RADIX[form[at]] for at in places]
        values = [int(word[at]) if form[at] == "d" else ord(word[at]) - 97 for at in places]
        middle = len(values) // 2
        for turn in range(_ROUNDS):
            low, high = (0, middle) if turn % 2 else (middle, len(values))
            other = values[:low] + values[high:]
            added = self._stream(turn, form, other, high - low)
            for at in range(low, high):
                values[at] = (values[at] + added[at - low]) % radix[at]
        letters = list(word)
        for at, value in zip(places, values, strict=True):
            letters[at] = str(value) if form[at] == "d" else chr(97 + value)
        return "".join(letters)

    def _stream(self, turn: int, form: str, other: list[int], count: int) -> list[int]:
        digest = hashlib.shake_256(self._key + bytes((turn,)) + form.encode() + bytes(other)).digest(
            4 * count
        )
        return [int.from_bytes(digest[4 * k : 4 * k + 4], "big") for k in range(count)]


def _form_of(word: str) -> str:
    """d digit, l letter, h letter of a hexadecimal number, - what stays."""
    is_hex = _HEX.fullmatch(word) is not None
    return "".join(
        "d" if "0" <= each <= "9" else ("h" if is_hex else "l") if "a" <= each <= "z" else "-"
        for each in word
    )
