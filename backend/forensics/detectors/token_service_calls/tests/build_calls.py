"""Servers that call a token service, for samples and tests."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import POD, HttpBuilder, serve

STS, NAME = "198.51.100.7:443", "sts.amazonaws.com"


def call(http: HttpBuilder, number: int, at_ms: float, *, round_trip_ms: float, name: str = NAME) -> float:
    """A TLS connection with two turns of data; when its last data was there (ms)."""
    caller = f"{POD}:{41_000 + number}"
    http.hello(at_ms, caller, STS, name)
    http.turn(at_ms, caller, STS, took_ms=round_trip_ms)
    second = at_ms + round_trip_ms + 1
    http.turn(second, caller, STS, took_ms=round_trip_ms)
    return second + round_trip_ms


def calling_server(
    *, requests: int, calls_every: int, round_trip_ms: float = 90.0, own_ms: float = 12.0, name: str = NAME
) -> Facts:
    """Requests one after the other; every `calls_every`th waits for a call; `own_ms` is the server's own work."""
    http = HttpBuilder()
    apart_ms = 700 + round(own_ms)
    for n in range(requests):
        at_ms = 100 + apart_ms * n + n * 7 % 5
        done_ms = at_ms + 2.0
        if n % calls_every == 0:
            done_ms = call(http, n, at_ms + 3, round_trip_ms=round_trip_ms, name=name)
        serve(http, n, at_ms, done_ms + own_ms - at_ms)
    http.lasts_until(100 + apart_ms * requests)
    return gather_facts([http.build()], [])


def background_refresh() -> Facts:
    """Long requests most of the time, and calls each second that meet them by chance."""
    http = HttpBuilder()
    for n in range(12):
        serve(http, n, 100 + 1_700 * n, 1_500)
    for n in range(20):
        call(http, n, 180 + 1_003 * n, round_trip_ms=90)
    http.lasts_until(22_000)
    return gather_facts([http.build()], [])
