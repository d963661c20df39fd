"""DNS messages of a capture, and what sentences say of queries that were lost, repeated or answered late."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from scapy.layers.dns import DNS

from workers.tests.lab.headers import UDP, Header, headers_of
from workers.tests.lab.sentences import count, interface_numbers, seconds, told_s

if TYPE_CHECKING:
    from pathlib import Path

    from workers.tests.lab.sentences import Check, Problem, Sentence

_DNS_PORT = ":53"
_NAME_ERROR = 3
_RETRY_S = 0.5
"""Copies of a query on other interfaces are less apart, repetitions more."""


class Message(NamedTuple):
    """A query or response. `key`: what a query, its repetitions and its responses have in common behind any NAT."""

    header: Header
    key: tuple[str, int, str, int]
    """Client's port, id, name, type."""
    answers: bool
    code: int


@lru_cache(maxsize=8)
def messages_of(path: Path) -> tuple[Message, ...]:
    """All that can be read, in the order of the file."""
    found = []
    for header in headers_of(path):
        if header.protocol != UDP or not (header.source + header.target).count(_DNS_PORT):
            continue
        message = DNS(header.payload)
        if not message.qd:
            continue
        client = header.target if message.qr else header.source
        name = message.qd[0].qname.decode(errors="replace").rstrip(".").lower()
        key = client.rpartition(":")[2], int(message.id), name, int(message.qd[0].qtype)
        found.append(Message(header, key, bool(message.qr), int(message.rcode)))
    return tuple(found)


def _cited(sentence: Sentence) -> tuple[Path, list[Message]]:
    """Of the first input that is cited."""
    part = next(each for each in sentence.evidence if each["frames"])
    path, numbers = sentence.folder / part["input"], set(part["frames"])
    return path, [message for message in messages_of(path) if message.header.number in numbers]


def _address(message: Message) -> str:
    """Its source's."""
    return message.header.source.rpartition(":")[0]


def _sent_s(messages: list[Message]) -> list[float]:
    """When one query was sent: first copies only."""
    times: list[float] = []
    for message in messages:
        at = message.header.time_ns / 1e9
        if not times or at - times[-1] >= _RETRY_S:
            times.append(at)
    return times


def _queries(messages: list[Message]) -> dict[tuple[str, int, str, int], list[Message]]:
    found = defaultdict(list)
    for message in messages:
        if not message.answers:
            found[message.key].append(message)
    return dict(found)


def _pairs(m: re.Match[str], sentence: Sentence) -> Problem:
    """Sockets with two cited queries: how many, and the median of what lies between the two."""
    _, messages = _cited(sentence)
    by_socket = defaultdict(list)
    for key, copies in _queries(messages).items():
        by_socket[key[0], key[2]].append(min(copy.header.time_ns for copy in copies) / 1e9)
    gaps = [max(times) - min(times) for times in by_socket.values() if len(times) == 2]
    if len(gaps) != count(m["some"]):
        return f"{len(gaps)} sockets with two queries are cited"
    told = m.groupdict().get("apart")
    off = abs(median(gaps) - seconds(told)) if told else 0.0
    return None if not told or off <= told_s(told) else f"{median(gaps) * 1e6:.0f} µs apart"


def _lost_between(m: re.Match[str], sentence: Sentence) -> Problem:
    """Cited queries of the one interface that no other shows with a translated source, within the time of a copy."""
    path, messages = _cited(sentence)
    near = interface_numbers(m["near"], sentence)
    absent = 0
    for key, copies in _queries(messages).items():
        for copy in copies:
            if copy.header.interface not in near:
                continue
            absent += not any(
                each.key == key and not each.answers and _address(each) != _address(copy)
                and 0 <= each.header.time_ns - copy.header.time_ns < _RETRY_S * 1e9
                for each in messages_of(path)
            )  # fmt: skip
    return None if absent == count(m["some"]) else f"{absent} cited queries are absent there"


def _unanswered(m: re.Match[str], sentence: Sentence) -> Problem:
    """Cited queries without any response in the file, and how often they were sent."""
    path, messages = _cited(sentence)
    answered = {message.key for message in messages_of(path) if message.answers}
    mute = {key: copies for key, copies in _queries(messages).items() if key not in answered}
    times = sum(len(_sent_s(copies)) for copies in mute.values())
    told = m.groupdict()
    if told.get("queries") and len(mute) != count(told["queries"]):
        return f"{len(mute)} cited queries stayed unanswered"
    return None if times == count(told["times"]) else f"they were sent {times} times"


def _name_errors(m: re.Match[str], sentence: Sentence) -> Problem:
    """All responses of the file that is cited, each once."""
    path, _ = _cited(sentence)
    codes = {message.key: message.code for message in messages_of(path) if message.answers}
    found = sum(code == _NAME_ERROR for code in codes.values()), len(codes)
    return None if found == (count(m["some"]), count(m["all"])) else f"{found[0]} of {found[1]}"


def _late(m: re.Match[str], sentence: Sentence) -> Problem:
    """Cited responses: from the only query for each, at the interface that captured it first."""
    path, messages = _cited(sentence)
    waits = []
    for key, copies in _queries(messages).items():
        back = [each.header.time_ns / 1e9 for each in messages_of(path) if each.key == key and each.answers]
        if back and len(_sent_s(copies)) == 1:
            waits.append(max(back) - _sent_s(copies)[0])
    late = [wait for wait in waits if wait >= _RETRY_S]
    if len(late) != count(m["some"]):
        return f"{len(late)} responses came late"
    off = abs(median(late) - seconds(m["wait"]))
    return None if off <= told_s(m["wait"]) + 0.001 else f"a median of {median(late):.4f} s"


def _silence(m: re.Match[str], sentence: Sentence) -> Problem:
    path, messages = _cited(sentence)
    answered = {message.key for message in messages_of(path) if message.answers}
    times = [message.header.time_ns / 1e9 for message in messages if not message.answers]
    if any(message.key in answered for message in messages):
        return "a cited query was answered"
    off = abs(max(times) - min(times) - seconds(m["wait"]))
    return (
        None
        if off <= told_s(m["wait"]) + 0.001
        else f"the cited queries span {max(times) - min(times):.4f} s"
    )


def _asked(m: re.Match[str], sentence: Sentence) -> Problem:
    _, messages = _cited(sentence)
    ends = {(e.header.source.rpartition(":")[0], e.header.target) for e in messages if e.key[2] == m["name"]}
    return None if (m["client"], m["server"]) in ends else f"the cited messages go {sorted(ends)}"


def _at_backend(m: re.Match[str], sentence: Sentence) -> Problem:
    """One query, to this address and to another."""
    _, messages = _cited(sentence)
    for copies in _queries(messages).values():
        targets = {copy.header.target for copy in copies}
        if m["service"] in targets and len(targets) > 1:
            return None
    return "no cited query is captured with two addresses"


def _slow_lookups(m: re.Match[str], sentence: Sentence) -> Problem:
    """Sockets whose cited messages last long, their queries that were sent again, and all sockets of the file."""
    path, messages = _cited(sentence)
    lasts: dict[str, list[float]] = defaultdict(list)
    for message in messages:
        lasts[message.key[0]].append(message.header.time_ns / 1e9)
    took = [max(times) - min(times) for times in lasts.values()]
    sockets = {message.key[0] for message in messages_of(path) if not message.answers}
    if (len(took), len(sockets)) != (count(m["some"]), count(m["all"])):
        return f"{len(took)} of {len(sockets)} sockets"
    if abs(median(took) - seconds(m["took"])) > told_s(m["took"]) + 0.001:
        return f"a median of {median(took):.4f} s"
    again = sum(len(_sent_s(copies)) > 1 for copies in _queries(messages).values())
    return None if again == count(m["again"] or "0") else f"{again} queries were sent again"


_N = r"[\d,]+"
_T = r"[\d,.]+ (?:s|ms|µs)"

CHECKS: tuple[tuple[str, Check], ...] = (
    (
        rf"(?P<some>{_N}) of {_N} lost quer(?:y|ies) (?:was|were) one of two open on the same socket, (?P<apart>{_T}) "
        r"apart .+",
        _pairs,
    ),
    (rf"In all (?P<some>{_N}) pairs the later query was the lost one\.", _pairs),
    (
        rf"(?P<some>{_N}) quer(?:y|ies) captured on (?P<near>interface \d+|\S+), absent on .+, where .+",
        _lost_between,
    ),
    (
        rf"(?P<some>{_N}) of {_N} were captured on (?P<near>interface \d+|\S+) and absent on .+, where .+",
        _lost_between,
    ),
    (rf"(?P<queries>{_N}) DNS quer(?:y|ies), sent (?P<times>{_N}) times, got no response\.", _unanswered),
    (rf"Of (?P<times>{_N}) queries sent in pairs (?P=times) stayed unanswered together .+", _unanswered),
    (
        rf"(?P<times>{_N}) of (?P=times) were captured as far as .+; no response came from there\.",
        _unanswered,
    ),
    (rf"(?P<some>{_N}) of (?P<all>{_N}) responses are NXDOMAIN .+", _name_errors),
    (rf"(?P<some>{_N}) responses? came (?P<wait>{_T}) \(median\) after the only query for them\.", _late),
    (rf"No response came in the (?P<wait>{_T}) after the first query\.", _silence),
    (r"(?P<client>[\d.]+) queried (?P<server>\S+) for (?P<name>\S+)\.", _asked),
    (r"(?P<service>\S+) is a service address: the same query is captured .+", _at_backend),
    (
        rf"(?P<some>{_N}) of (?P<all>{_N}) DNS lookups? at \S+ (?:took|stayed without a response for) (?P<took>{_T}) "
        rf"\(median, baseline {_T}\)\.(?: (?P<again>{_N}) quer(?:y was|ies were) retried: .+ \(glibc\)\.)?",
        _slow_lookups,
    ),
)
