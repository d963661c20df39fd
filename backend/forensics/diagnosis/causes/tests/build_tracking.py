"""conntrack listings for the tests of causes."""

from __future__ import annotations

from backend.forensics.dumps import ConntrackEntry, ConntrackTable, ConntrackTuple, Dump
from backend.forensics.evidence.kernel.counters import DumpInput


def unreplied(server: str) -> DumpInput:
    """conntrack -L with one connection to the server that got no reply."""
    host, _, port = server.rpartition(":")
    original = ConntrackTuple("10.0.0.1", host, 20_021, int(port))
    reply = ConntrackTuple(host, "10.0.0.1", int(port), 20_021)
    entry = ConntrackEntry(3, "tcp", "SYN_SENT", 110, original, reply, ("UNREPLIED",))
    return DumpInput(
        "conntrack-L.txt", None, Dump("conntrack-list", 9, (), entries=ConntrackTable.of([entry]))
    )
