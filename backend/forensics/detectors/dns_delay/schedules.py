"""When resolver libraries ask again."""

from __future__ import annotations

from statistics import median

import numpy as np

from backend.forensics.evidence.dns.delayed import DelayedLookup, Dns

TOLERANCE_RATIO = 0.06
"""Timers fire late: SYN repeats of the same hosts come up to 4 % late."""
_LIBRARIES = ((5.0, True, "glibc"), (2.5, True, "musl"), (5.0, False, "Go or glibc with a new socket"))
"""(pause in s, same socket, library): glibc `RES_TIMEOUT` 5 s (resolv.conf(5)); musl src/network/res_msend.c: timeout
5 s divided by 2 attempts; Go src/net/dnsconfig_unix.go: timeout 5 s, src/net/dnsclient_unix.go `exchange`: a new socket
each try."""


def pauses_s(dns: Dns, lookup: DelayedLookup) -> list[tuple[float, bool]]:
    """(seconds to the next try, on the same socket) of each question that was put again."""
    rows = dns.exchanges.rows
    found = []
    last: dict[tuple[int, int], int] = {}
    for question in lookup.questions:
        row = rows[question]
        key = (int(row["name"]), int(row["type"]))
        if dns.lookups.retry[question] and key in last:
            before = rows[last[key]]
            found.append((int(row["start_ns"] - before["last_sent_ns"]) / 1e9, False))
        if dns.lookups.repeated[question]:
            found.append((int(row["first_again_ns"] - row["start_ns"]) / 1e9, True))
        last[key] = question
    return found


def name_schedule(pauses: list[tuple[float, bool]]) -> tuple[str, float | None]:
    """(``5 s, same socket (glibc)``, median pause in s); ("none", None) where nothing was put again."""
    if not pauses:
        return "none", None
    same = sum(on_same for _, on_same in pauses) * 2 >= len(pauses)
    pause_s = float(median(s for s, on_same in pauses if on_same == same))
    spread = np.array([s for s, on_same in pauses if on_same == same])
    if float(np.mean(np.abs(spread - pause_s) <= TOLERANCE_RATIO * pause_s)) < 0.5:
        return "irregular", pause_s
    socket = "same socket" if same else "new socket"
    for expected_s, on_same, library in _LIBRARIES:
        if on_same == same and abs(pause_s - expected_s) <= TOLERANCE_RATIO * expected_s:
            return f"{expected_s:g} s, {socket} ({library})", pause_s
    return f"{pause_s:.2g} s, {socket}", pause_s
