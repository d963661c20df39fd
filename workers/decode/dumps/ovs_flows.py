"""`ovs-ofctl dump-flows` and `ovs-dpctl dump-flows`: the flows of Open vSwitch with their counters.

 cookie=0xdeff105, duration=3510.318s, table=1, n_packets=371, n_bytes=63077, priority=10,ip actions=drop
recirc_id(0),in_port(3),eth_type(0x0800),ipv4(frag=no), packets:12, bytes:720, used:0.5s, actions:drop
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, FilterRule
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned

KIND = "ovs-flows"

_FLOW = re.compile(
    r"\s{0,4}(?:cookie=0x[0-9a-f]{1,16}, )?duration=[\d.]{1,20}s, table=(?P<table>\w{1,40}), "
    r"n_packets=(?P<packets>\d{1,20}), "
    r"n_bytes=\d{1,20}, (?P<match>.{0,2000}?) ?actions=(?P<actions>.{0,2000})$"
)
_DATAPATH = re.compile(
    r"(?P<match>(?:ufid:|recirc_id\().{0,2000}?), packets:(?P<packets>\d{1,20}), bytes:\d{1,20}, used:[\w.]{1,20},"
    r"(?: flags:\S{1,20},)? actions:(?P<actions>.{0,2000})$"
)
_TITLE = re.compile(r"(?:NXST|OFPST)_FLOW reply ")


def recognise(head: Sequence[str]) -> float:
    """The share of flows."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A flow or the title."""
    if "n_packets=" not in line and "packets:" not in line:
        return _TITLE.match(line) is not None
    return bool(_FLOW.match(line) or _DATAPATH.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The title begins a listing."""
    return bool(previous) and _TITLE.match(line) is not None


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The flows as rules; those that do nothing but drop have this verdict."""
    rules: list[FilterRule] = []
    strange: list[int] = []
    for number, line in numbered(lines, first_line):
        flow, datapath = _FLOW.match(line), _DATAPATH.match(line)
        found = flow or datapath
        if found is None:
            strange += [] if _TITLE.match(line) else [number]
            continue
        verdict = "DROP" if found["actions"].strip() == "drop" else ""
        table = f"table {flow['table']}" if flow else "datapath"
        text = f"{table}, {found['match'].strip()} actions={found['actions'].strip()}"
        rules.append(
            FilterRule(number, text, table, table, verdict, int(found["packets"]), syntax="openflow")
        )
    return Dump(KIND, len(lines), tuple(strange), filter_rules=tuple(rules))
