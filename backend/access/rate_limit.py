"""Wrong passwords, tokens and links are counted, and refused unheard when they come too often.

Counted in the memory of one process: behind several, an attacker has as many times the attempts.
"""

from __future__ import annotations

import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from backend.errors import Refused, SignInNeeded, TooManyAttempts

ENTRIES = 20_000
"""Addresses, and as many subjects, that are remembered: some 10 MB."""


@dataclass(frozen=True)
class Allowance:
    """So many wrong guesses are heard in so many seconds, counted from the first."""

    wrong: int
    within_s: float


@dataclass(frozen=True)
class Limit:
    """For one kind of guess."""

    per_address: Allowance
    """A few colleagues may share an address."""
    per_subject: Allowance
    """Higher, so that a stranger cannot keep a person out with little effort, yet bounds many addresses."""
    is_reserved: bool = False
    """Counted before the check and forgiven after it, so that guesses sent at once cannot all slip in. Not for
    what programs show with each request: many good ones may be under way."""


PASSWORD = Limit(Allowance(10, 300), Allowance(30, 300), is_reserved=True)
"""30 in 5 minutes are 3 million a year: few against a password that is not in a list."""
SECRET = Limit(Allowance(20, 60), Allowance(100, 60))
"""Tokens and links have 256 random bits; the limit spares the machine and the log."""
LIMITS = {"password": PASSWORD, "token": SECRET, "share": SECRET, "share password": PASSWORD, "oidc": SECRET}


class RateLimiter:
    """One a process; safe for threads."""

    def __init__(self, *, entries: int = ENTRIES, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries = entries
        self._lock = threading.Lock()
        self._addresses: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._subjects: OrderedDict[str, tuple[int, float]] = OrderedDict()

    @contextmanager
    def attempt(self, kind: str, address: str, subject: str) -> Iterator[None]:
        """Around the check of a secret: raises TooManyAttempts before it, and counts it when it is refused."""
        limit = LIMITS[kind]
        client, named = f"{kind} {client_key(address)}", f"{kind} {subject}"
        with self._lock:
            self._hear(self._addresses, client, limit.per_address)
            self._hear(self._subjects, named, limit.per_subject)
            if limit.is_reserved:
                self._count(limit, client, named, 1)
        wrong = False
        try:
            yield
        except (Refused, SignInNeeded):
            wrong = True
            raise
        finally:
            if wrong != limit.is_reserved:
                with self._lock:
                    self._count(limit, client, named, 1 if wrong else -1)

    def remembered(self) -> int:
        """How many counters there are."""
        return max(len(self._addresses), len(self._subjects))

    def _hear(self, counters: OrderedDict[str, tuple[int, float]], key: str, allowed: Allowance) -> None:
        wrong, ends = counters.get(key, (0, 0.0))
        left_s = ends - self._clock()
        if wrong >= allowed.wrong and left_s > 0:
            raise TooManyAttempts(math.ceil(left_s))

    def _count(self, limit: Limit, client: str, named: str, more: int) -> None:
        self._add(self._addresses, client, limit.per_address, more)
        self._add(self._subjects, named, limit.per_subject, more)

    def _add(
        self, counters: OrderedDict[str, tuple[int, float]], key: str, allowed: Allowance, more: int
    ) -> None:
        now = self._clock()
        wrong, ends = counters.pop(key, (0, 0.0))
        if ends <= now:
            wrong, ends = 0, now + allowed.within_s
        if wrong + more <= 0:
            return
        if len(counters) >= self._entries:
            counters.popitem(last=False)
        # At the end: the one that was quiet the longest goes first.
        counters[key] = (wrong + more, ends)


def client_key(address: str) -> str:
    """Who is behind an address: a customer has a whole /64 of IPv6."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
