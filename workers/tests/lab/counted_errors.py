"""ICMP errors, packets without NAT, idle connections and interfaces, and what sentences say of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from workers.tests.lab.counted_attempts import attempts_of, cited, cited_isns, sent
from workers.tests.lab.headers import ACK, FIN, ICMP, RST, SYN, TCP, Header, headers_of
from workers.tests.lab.sentences import count, interface_numbers, seconds, told_s

if TYPE_CHECKING:
    from pathlib import Path

    from workers.tests.lab.sentences import Check, Problem, Sentence

_IP_BYTES = 20
_ERRORS = {"host unreachable": (1, 7), "port unreachable": (3,), "no route": (0, 6)}


def _quoted(header: Header) -> tuple[str, str]:
    """Ends of the packet that an ICMP error quotes."""
    inner = header.payload
    head = 4 * (inner[0] & 15)
    ports = (int.from_bytes(inner[at : at + 2]) for at in (head, head + 2))
    ends = (".".join(map(str, inner[at : at + 4])) for at in (12, 16))
    one, other = (f"{address}:{port}" for address, port in zip(ends, ports, strict=True))
    return one, other


def _told(header: Header) -> tuple[str, str]:
    """Who gets the error, and the port of the packet that it quotes."""
    return header.target.rpartition(":")[0], _quoted(header)[0].rpartition(":")[2]


def _quoted_seq(header: Header) -> bytes:
    """A port may be used for two connections."""
    at = 4 * (header.payload[0] & 15) + 4
    return header.payload[at : at + 4]


def _errors(sentence: Sentence) -> dict[tuple[Path, int], list[Header]]:
    """By capture and interface, the cited ICMP errors."""
    places: dict[tuple[Path, int], list[Header]] = defaultdict(list)
    for path, header in cited(sentence):
        if header.protocol == ICMP and len(header.payload) >= _IP_BYTES:
            places[path, header.interface].append(header)
    return places


def _unreachable(m: re.Match[str], sentence: Sentence) -> Problem:
    """Errors of one kind from one reporter, and the connections whose packets they quote."""
    places = _errors(sentence)
    quoted = set()
    for headers in places.values():
        for header in headers:
            if header.source.rpartition(":")[0] == m["reporter"]:
                quoted.add((*_told(header), _quoted_seq(header)))
    if not quoted:
        return f"no cited error is of {m['reporter']}"
    return None if len(quoted) == count(m["some"]) else f"errors for {len(quoted)} connections are cited"


def _while_unreachable(m: re.Match[str], sentence: Sentence) -> Problem:
    """The quoted attempts that sent their SYN again are among those; every error is of that reporter."""
    again = set()
    for (path, _), headers in _errors(sentence).items():
        if any(header.source.rpartition(":")[0] != m["reporter"] for header in headers):
            return f"a cited error is not of {m['reporter']}"
        isns = {int.from_bytes(_quoted_seq(header)) for header in headers}
        again |= {isn for isn in isns if len(sent(attempts_of(path).get(isn, ()))) > 1}
    return None if 0 < len(again) <= count(m["some"]) else f"errors for {len(again)} such attempts are cited"


def _reported(m: re.Match[str], sentence: Sentence) -> Problem:
    """Of each quoted connection the errors at the interface that shows most of them."""
    most: dict[tuple[str, str], int] = defaultdict(int)
    for headers in _errors(sentence).values():
        for told, number in Counter(_told(header) for header in headers).items():
            most[told] = max(most[told], number)
    total = sum(most.values())
    return None if sentence.cut or total == count(m["some"]) else f"{total} errors are cited"


def _packet_from(m: re.Match[str], sentence: Sentence) -> Problem:
    found = any(header.source == m["end"] for _, header in cited(sentence))
    return None if found else f"no cited frame is from {m['end']}"


def _reset_by(m: re.Match[str], sentence: Sentence) -> Problem:
    found = any(header.source == m["end"] and header.flags & RST for _, header in cited(sentence))
    return None if found else f"no cited RST is from {m['end']}"


def _opens(m: re.Match[str], sentence: Sentence) -> Problem:
    found = any(h.is_syn and (h.source, h.target) == (m["client"], m["server"]) for _, h in cited(sentence))
    return None if found else f"no cited SYN goes from {m['client']} to {m['server']}"


def _strangers(sentence: Sentence) -> set[tuple[Path, str]]:
    """(capture, client) of cited RSTs to another server than the SYN of that client went to."""
    syns = {(path, h.source): h.target for path, h in cited(sentence) if h.is_syn}
    resets = {(path, h.source, h.target) for path, h in cited(sentence) if h.flags & RST}
    return {
        (path, client) for path, client, server in resets
        if syns.get((path, client), server) != server
    }  # fmt: skip


def _without_nat(m: re.Match[str], sentence: Sentence) -> Problem:
    found = _strangers(sentence)
    return None if sentence.cut or len(found) == count(m["some"]) else f"{len(found)} connections"


def _used_before(m: re.Match[str], sentence: Sentence) -> Problem:
    """The SYN of each connection, or another packet of its service, came less than that before its RST."""
    recent = 0
    for path, client in _strangers(sentence):
        reset = max(
            h.time_ns for p, h in cited(sentence) if p == path and h.source == client and h.flags & RST
        )
        used = [h.time_ns for h in headers_of(path) if client in (h.source, h.target) and h.time_ns < reset]
        recent += bool(used) and reset - max(used) <= count(m["within"]) * 1e9
    return None if recent == count(m["some"]) else f"{recent} connections were used within that time"


def _idle(m: re.Match[str], sentence: Sentence) -> Problem:
    """Connections with a silence before a cited packet: how long the shortest is, and what came after it."""
    idle: dict[str, float] = {}
    reset: set[str] = set()
    for path, header in cited(sentence):
        ends = {header.source, header.target}
        before = [
            h.time_ns for h in headers_of(path)
            if h.protocol == TCP and {h.source, h.target} == ends and h.time_ns < header.time_ns
        ]  # fmt: skip
        client = max(ends, key=lambda end: int(end.rpartition(":")[2]))
        gap = (header.time_ns - max(before)) / 1e9 if before else 0.0
        idle[client] = max(gap, idle.get(client, 0.0))
        if header.flags & RST:
            reset.add(client)
    told = m.groupdict()
    mute = len(idle) - len(reset)
    if (len(reset), mute) != (count(told["reset"]), count(told["mute"])):
        return f"{len(reset)} reset, {mute} without a response"
    shortest = min(idle.values())
    if told.get("idle") and abs(shortest - seconds(told["idle"])) > told_s(told["idle"]):
        return f"the shortest silence is {shortest:.2f} s"
    return None


def _other_way(m: re.Match[str], sentence: Sentence) -> Problem:
    """SYN-ACKs on that interface: retransmissions are of another time. Their SYNs are in the same capture."""
    numbers = interface_numbers(m["interface"], sentence)
    answers = {(h.ack, h.time_ns) for _, h in cited(sentence) if h.is_syn_ack and h.interface in numbers}
    left = interface_numbers(m["left"], sentence) if m["left"] else set()
    here = [each for each in cited(sentence) if each[1].is_syn_ack and each[1].interface in numbers]
    for path, isn in {(path, (h.ack - 1) % (1 << 32)) for path, h in here}:
        if left and not any(syn.interface in left for syn in attempts_of(path).get(isn, ())):
            return f"a SYN of theirs is not on {m['left']}"
    return None if sentence.cut or len(answers) == count(m["some"]) else f"{len(answers)} SYN-ACKs are cited"


def _crossed(m: re.Match[str], sentence: Sentence) -> Problem:
    """Each cited frame is of another connection, which saw a FIN of its server and a RST."""
    found = set()
    for path, header in cited(sentence):
        ends = {header.source, header.target}
        flags = [h.flags for h in headers_of(path) if h.protocol == TCP and {h.source, h.target} == ends]
        if any(f & FIN for f in flags) and any(f & RST for f in flags):
            found.add(frozenset(ends))
    return None if sentence.cut or len(found) == count(m["some"]) else f"{len(found)} connections"


def _answered_syn_ack(m: re.Match[str], sentence: Sentence) -> Problem:
    found = [h for _, h in cited(sentence)]
    return None if found and all(h.is_syn_ack for h in found) else "not all cited frames are SYN-ACKs"


def _beyond(m: re.Match[str], sentence: Sentence) -> Problem:
    """None of the cited attempts has a SYN-ACK in any capture."""
    isns = cited_isns(sentence)
    for name in sentence.captures():
        for header in headers_of(sentence.folder / name):
            if header.is_syn_ack and (header.ack - 1) % (1 << 32) in isns:
                return f"frame {header.number} of {name} answers one"
    return None if isns else "no SYN is cited"


def _reached(m: re.Match[str], sentence: Sentence) -> Problem:
    """The cited attempts were seen at that interface."""
    inside, outside = (interface_numbers(m[side], sentence) for side in ("inside", "outside"))
    for path, header in cited(sentence):
        seen = {syn.interface for syn in attempts_of(path).get(header.seq, ()) if syn.id == header.id}
        if header.is_syn and seen & inside and seen & outside:
            return f"the SYN of frame {header.number} was on {m['outside']}, too"
    return None


def _cited_syn(m: re.Match[str], sentence: Sentence) -> Problem:
    ours = [h for _, h in cited(sentence) if h.source == m["client"]]
    is_syn = any(h.flags & (SYN | ACK) == SYN for h in ours)
    return None if is_syn else f"no cited SYN is from {m['client']}"


_N = r"[\d,]+"
_T = r"[\d,.]+ (?:s|ms|µs)"
_END = r"[\d.]+:\d+"

CHECKS: tuple[tuple[str, Check], ...] = (
    (
        rf"(?P<some>{_N}) connections? to \S+: host unreachable, reported by (?P<reporter>[\d.]+)\.",
        _unreachable,
    ),
    (
        rf"(?P<some>{_N}) of {_N} attempts lost a SYN while (?P<reporter>[\d.]+) reported host unreachable by ICMP\.",
        _while_unreachable,
    ),
    (rf"(?P<some>{_N}) ICMP errors? reports? that the host is unreachable\.", _reported),
    (rf"A packet arrives from (?P<end>{_END}) without NAT\.", _packet_from),
    (rf"(?P<end>{_END}) sends a RST to the unknown 5-tuple\.", _reset_by),
    (rf"(?P<client>{_END}) opens a connection to (?P<server>{_END}); NAT sends it to {_END}\.", _opens),
    (
        rf"In (?P<some>{_N}) connections? to \S+ the client received a packet from the real server's own .+",
        _without_nat,
    ),
    (
        rf"In (?P<some>{_N}) of {_N} cases? the connection had been used within (?P<within>{_N}) s before\.",
        _used_before,
    ),
    (
        rf"{_N} connections? to \S+ idle for (?P<idle>{_T}) or more failed when used again: (?P<reset>{_N}) reset, "
        rf"(?P<mute>{_N}) without any response\.",
        _idle,
    ),
    (
        rf"After the idle time (?P<reset>{_N}) connections? got a RST and (?P<mute>{_N}) no response; neither .+",
        _idle,
    ),
    (
        rf"(?P<some>{_N}) SYN-ACKs arrived on (?P<interface>interface \d+|\S+?)(?:; the SYNs had left by "
        r"(?P<left>interface \d+|\S+)\.|, .+)",
        _other_way,
    ),
    (rf"(?P<some>{_N}) connections? got a FIN of the server, and a RST to what .+", _crossed),
    (
        r"The server answered; its SYN-ACK was captured on .+, and then the client retransmitted .+",
        _answered_syn_ack,
    ),
    (r"Every SYN of this combination was lost: beyond .+\.", _beyond),
    (
        r"These SYNs were received on (?P<inside>interface \d+|\S+) and not sent on; others of the same sources "
        r"left on (?P<outside>interface \d+|\S+)\.",
        _reached,
    ),
    (rf"(?P<client>{_END}) sent a SYN on the same 5-tuple.*\.", _cited_syn),
    (rf"The SYN of (?P<client>{_END}) is sent to {_END}; there is no response\.", _cited_syn),
    (rf"The SYN of (?P<client>{_END}) arrives and is absent behind IPVS\.", _cited_syn),
)
