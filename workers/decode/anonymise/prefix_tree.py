"""Prefix-preserving mapping of addresses: Crypto-PAn (Xu, Fan, Ammar, Moon: "Prefix-preserving IP address
anonymization", ICNP 2002), for any width, with blocks that stay what they are.

Two addresses share exactly as many leading bits after the mapping as before it. The mapping is a tree of switches, one
for each prefix: a switch that is on exchanges its two halves. The switch of a prefix is one bit of AES."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB

KEY_BYTES: Final = 32
"""16 of an AES key, and 16 that become the padding."""
_BLOCK_BYTES: Final = 16


@dataclass(frozen=True)
class Block:
    """All addresses that begin with the first `length` bits of `value`."""

    value: int
    length: int
    keeps: bool = True
    """Its addresses stay what they are; otherwise they stay inside, but change places."""


class PrefixTree:
    """The mapping of addresses of `width` bits that `key` (KEY_BYTES) makes."""

    def __init__(
        self, width: int, key: bytes, blocks: Iterable[Block] = (), fixed_bits: Iterable[int] = ()
    ) -> None:
        """`fixed_bits`: places (0 is the first) where no address changes."""
        self._width = width
        self._aes = Cipher(AES(key[:16]), ECB()).encryptor()
        self._pad = int.from_bytes(self._aes.update(key[16:KEY_BYTES]), "big")
        self._still = {place: set[int]() for place in range(width)}
        self._kept: set[tuple[int, int]] = set()
        self._opened: set[tuple[int, int]] = set()
        for block in blocks:
            self._fence(block)
        self._fixed = frozenset(fixed_bits)

    def _fence(self, block: Block) -> None:
        for place in range(block.length):
            self._still[place].add(block.value >> (self._width - place))
        prefix = (block.length, block.value >> (self._width - block.length))
        (self._kept if block.keeps else self._opened).add(prefix)

    def map(self, address: int) -> int:
        """The address that stands for this one."""
        return address ^ self._switches(address)

    def _switches(self, address: int) -> int:
        width, found, kept = self._width, 0, (0, 0) in self._kept
        ciphered = self._aes.update(b"".join(self._asked(address, place) for place in range(width)))
        for place in range(width):
            prefix = address >> (width - place)
            if (place, prefix) in self._kept:
                kept = True
            elif (place, prefix) in self._opened:
                kept = False
            is_on = ciphered[place * _BLOCK_BYTES] & 0x80
            if is_on and not kept and place not in self._fixed and prefix not in self._still[place]:
                found |= 1 << (width - 1 - place)
        return found

    def _asked(self, address: int, place: int) -> bytes:
        """The prefix, filled up with the padding: the block that is ciphered for a switch."""
        low = 128 - place
        prefix = (address >> (self._width - place)) << low
        return (prefix | self._pad & ((1 << low) - 1)).to_bytes(_BLOCK_BYTES, "big")
