"""Passwords, kept as scrypt (RFC 7914) of a salt of their own."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import threading

LOG_COST, BLOCKS, PARALLEL = 15, 8, 3
"""One of the equal choices of OWASP's password storage sheet: 32 MiB, some 0.3 s."""
SALT_BYTES = 16
SHORTEST = 8
LONGEST = 1024
_AT_ONCE = threading.BoundedSemaphore(2)
"""Checks that may run at the same time: each has its 32 MiB and a processor."""


def hash_password(password: str) -> str:
    """``scrypt$15$8$3$SALT$HASH``, base64."""
    salt = secrets.token_bytes(SALT_BYTES)
    return "$".join(
        (
            "scrypt",
            str(LOG_COST),
            str(BLOCKS),
            str(PARALLEL),
            base64.b64encode(salt).decode(),
            base64.b64encode(_scrypt(password, salt, LOG_COST, BLOCKS, PARALLEL)).decode(),
        )
    )


def is_password(password: str, stored: str) -> bool:
    """Whether the hash is this password's. An empty hash takes as long and is nobody's."""
    _, cost, blocks, parallel, salt, expected = (stored or _NOBODY).split("$")
    found = _scrypt(password, base64.b64decode(salt), int(cost), int(blocks), int(parallel))
    return hmac.compare_digest(found, base64.b64decode(expected)) and bool(stored)


def new_password() -> str:
    """One to give to somebody: 100 random bits in groups that can be read out."""
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(letters) for _ in range(5)) for _ in range(4))


def _scrypt(password: str, salt: bytes, log_cost: int, blocks: int, parallel: int) -> bytes:
    with _AT_ONCE:
        return hashlib.scrypt(
            password.encode("utf-8", "surrogatepass"),
            salt=salt,
            n=1 << log_cost,
            r=blocks,
            p=parallel,
            maxmem=128 * blocks * ((1 << log_cost) + parallel + 2) + (1 << 20),
            dklen=32,
        )


_NOBODY = "$".join(
    ("scrypt", str(LOG_COST), str(BLOCKS), str(PARALLEL), base64.b64encode(b"\0" * 16).decode(), "AA==")
)
