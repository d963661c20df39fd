"""What shows that packets carry credentials when no request was seen: words beside keys and tokens, and addresses."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import ipaddress
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.octets import Buffer, big16, big64

LOOKED_AT_BYTES: Final = 2048
"""Of a segment, a body or a frame: names of keys stand at the beginning of an answer."""
LOOKED_AT_PLAIN_BYTES: Final = 32
"""The same of an answer that begins with a letter or a digit: no JSON, no XML."""
SEGMENTS: Final = 32
"""Of a connection that is no HTTP: how many segments with data are looked at."""
WORDS: Final = (
    (b"accesskey", b"k"),  # AccessKeyId, SecretAccessKey, AccessKeySecret; JSON and XML
    (b"secretkey", b"k"),
    (b"access_key", b"_"),
    (b"secret_key", b"_"),
    (b"sessiontoken", b"k"),
    (b"securitytoken", b"k"),
    (b'"token"', b"k"),
    (b"_token", b"_"),  # access_token, refresh_token, id_token (RFC 6749, OpenID Connect)
    (b"client_secret", b"_"),
    (b"client_assertion", b"_"),
    (b"grant_type", b"_"),
    (b"private_key", b"_"),
    (b"private key", b"k"),
    (b"-token:", b"k"),
    (b"cookie:", b"k"),
    (b"authorization:", b"z"),
    (b"password=", b"w"),
    (b'"password"', b"w"),
    # A letter that JSON need not escape is escaped to hide a name (RFC 8259 section 7).
    (b"\\u004", b"\\"),
    (b"\\u005", b"\\"),
    (b"\\u006", b"\\"),
    (b"\\u007", b"\\"),
)
"""In lower case; of each the rarest byte of it, which is looked for first."""
_TCP, _TUNNEL_BYTES, _V6_HEADER_BYTES, _PADDING_BYTES = 6, 48, 40, 9
_BYTES: Final = np.frombuffer(b"".join(word for word, _ in WORDS), np.uint8)
_PLACES: Final = np.array([0, *accumulate(len(word) for word, _ in WORDS)], np.int64)
_RARE_AT: Final = np.array([word.index(rare) for word, rare in WORDS], np.int64)
_RARE_BYTES: Final = np.array([rare[0] | 32 for _, rare in WORDS], np.int64)
_ONES: Final = np.uint64(0x0101010101010101)
_LOWER: Final = np.uint64(0x2020202020202020)
_HIGHS: Final = np.uint64(0x8080808080808080)
_EIGHT_RARE: Final = np.array(sorted({(rare[0] | 32) * 0x0101010101010101 for _, rare in WORDS}), np.uint64)


_NETWORKS: Final = (
    "169.254.169.0/24",  # AWS, GCP, Azure, OpenStack and others: the service itself is .254
    "169.254.170.0/24",  # ECS task credentials (.2) and EKS pod identity (.23)
    "100.100.100.200/32",  # Alibaba
    "168.63.129.16/32",  # Azure's wire server
    "fd00:ec2::/32",  # AWS over IPv6: ::254 and, for EKS pod identity, ::23
    "fd20:ce::254/128",  # GCP over IPv6
)
"""Where metadata and credential services are (documentation of the providers)."""


def _halves(kind: str) -> NDArray[np.uint64]:
    """(high, low) of the address or the mask of each network, as packets store addresses."""
    found = []
    for text in _NETWORKS:
        network = ipaddress.ip_network(text)
        if network.version == 4:
            v4 = {"address": int(network.network_address), "mask": int(network.netmask)}
            value = {"address": 0xFFFF << 32, "mask": (1 << 128) - (1 << 32)}[kind] | v4[kind]
        else:
            value = int(network.network_address if kind == "address" else network.netmask)
        found.append((value >> 64, value & 0xFFFFFFFFFFFFFFFF))
    return np.array(found, np.uint64)


METADATA_NETWORKS: Final = _halves("address")
METADATA_MASKS: Final = _halves("mask")


@compiled
def is_metadata_address(high: int, low: int) -> bool:
    """Whether a metadata or credential service has this address."""
    for i in range(METADATA_NETWORKS.shape[0]):
        if (
            np.uint64(high) & METADATA_MASKS[i, 0] == METADATA_NETWORKS[i, 0]
            and np.uint64(low) & METADATA_MASKS[i, 1] == METADATA_NETWORKS[i, 1]
        ):
            return True
    return False


@compiled
def _is_word(buffer: Buffer, at: int, end: int, word: int) -> bool:
    first = _PLACES[word]
    size = _PLACES[word + 1] - first
    if at + size > end:
        return False
    for i in range(size):
        byte = np.int64(buffer[at + i])
        if 65 <= byte <= 90:
            byte |= 32
        if byte != _BYTES[first + i]:
            return False
    return True


@compiled
def _is_word_around(buffer: Buffer, place: int, at: int, end: int) -> bool:
    """Whether one of the words stands in buffer[at:end] with its rare byte at `place`."""
    byte = np.int64(buffer[place]) | 32
    for word in range(_RARE_AT.size):
        start = place - _RARE_AT[word]
        if _RARE_BYTES[word] == byte and start >= at and _is_word(buffer, start, end, word):
            return True
    return False


@compiled
def _has_rare_byte(eight: int) -> bool:
    """Whether one of eight bytes is a rare one (a zero byte in their difference, by Mycroft's test)."""
    found = np.uint64(0)
    lower = np.uint64(eight) | _LOWER
    for i in range(_EIGHT_RARE.size):
        difference = lower ^ _EIGHT_RARE[i]
        found |= (difference - _ONES) & ~difference & _HIGHS
    return found != 0


@compiled
def holds_credential_word(buffer: Buffer, at: int, end: int) -> bool:
    """Whether one of the words stands in buffer[at:end], in any case of letters."""
    apart()
    i = at
    while i < end:
        if i + 8 <= end and not _has_rare_byte(big64(buffer, i)):
            i += 8
            continue
        for place in range(i, min(i + 8, end)):
            if _is_word_around(buffer, place, at, end):
                return True
        i += 8
    return False


@compiled
def _is_text(byte: int) -> bool:
    return 32 <= byte <= 126 or byte in (9, 10, 13)


@compiled
def text_holds_credential_word(buffer: Buffer, at: int, end: int) -> bool:
    """The same of a segment that begins and ends like text; others are not looked at."""
    if end <= at or not (_is_text(buffer[at]) and _is_text(buffer[end - 1])):
        return False
    return holds_credential_word(buffer, at, min(end, at + LOOKED_AT_BYTES))


@compiled
def carries_tcp(buffer: Buffer, at: int, end: int, size: int) -> bool:
    """Whether a datagram, of whose `size` bytes buffer[at:end] were captured, holds a TCP packet behind a header of
    up to 48 bytes: it is a tunnel that nobody knows."""
    apart()
    for i in range(at, min(at + _TUNNEL_BYTES, end - _V6_HEADER_BYTES) + 1):
        version = np.int64(buffer[i]) >> 4
        rest = size - (i - at)
        if version == 4 and buffer[i + 9] == _TCP and 0 <= rest - big16(buffer, i + 2) < _PADDING_BYTES:
            return True
        inner = rest - _V6_HEADER_BYTES - big16(buffer, i + 4)
        if version == 6 and buffer[i + 6] == _TCP and 0 <= inner < _PADDING_BYTES:
            return True
    return False
