"""A log line's level stands where syslog writes the host, and is none."""

from __future__ import annotations

import pytest

from workers.decode.dumps import parse_dumps

FULL = "nf_conntrack: nf_conntrack: table full, dropping packet"


@pytest.mark.parametrize("level", ["INFO", "error", "WARN", "Fatal"])
def test_a_level_is_no_host(level: str) -> None:
    lines = [f"2026-11-20T10:00:0{n}.000Z {level} agent: {FULL}" for n in range(3)]
    assert {dump.host for dump in parse_dumps("\n".join(lines))} == {""}


@pytest.mark.parametrize("host", ["node1", "info-7", "errors", "warn.example"])
def test_a_host_that_begins_like_one_is(host: str) -> None:
    lines = [f"2026-11-20T10:00:0{n}.000Z {host} kernel: {FULL}" for n in range(3)]
    assert {dump.host for dump in parse_dumps("\n".join(lines))} == {host}
