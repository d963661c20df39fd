"""Data segments of whole captures, and what sentences say of those that were retransmitted."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from workers.tests.lab.counted_attempts import attempts_of, cited, sent
from workers.tests.lab.headers import ACK, ICMP, RST, TCP, Header, headers_of
from workers.tests.lab.sentences import count, interface_numbers, seconds, told_s

if TYPE_CHECKING:
    from pathlib import Path

    from workers.tests.lab.sentences import Check, Problem, Sentence

_WORD = 1 << 32
_HALF = _WORD // 2
NEARLY = 0.02
"""What one reader calls a retransmission, and another a segment out of order, differs by this share."""
_CLOCKS_S = 0.003
_ECE_CWR = 0xC0
_N = r"[\d,]+"


class Segments(NamedTuple):
    """Of one interface: data segments, those sent again, and connections with data."""

    all: int
    again: int
    connections: int


def _is_data(header: Header) -> bool:
    return header.protocol == TCP and header.payload_bytes > 0


@lru_cache(maxsize=8)
def _again_of(path: Path) -> dict[int, list[tuple[Header, bool]]]:
    """By interface, each data segment and whether bytes from there on had been sent before."""
    furthest: dict[tuple[int, str, str], int] = {}
    found: dict[int, list[tuple[Header, bool]]] = defaultdict(list)
    for header in headers_of(path):
        flow = header.interface, header.source, header.target
        if header.is_syn or header.is_syn_ack:
            furthest.pop(flow, None)
        if not _is_data(header):
            continue
        known = furthest.get(flow)
        again = known is not None and 0 < (known - header.seq) % _WORD < _HALF
        end = (header.seq + header.payload_bytes) % _WORD
        if known is None or (end - known) % _WORD < _HALF:
            furthest[flow] = end
        found[header.interface].append((header, again))
    return dict(found)


def _segments(path: Path, host: str | None = None) -> dict[int, Segments]:
    """By interface, of connections with this address at an end or of all."""
    found = {}
    for interface, rows in _again_of(path).items():
        mine = [(h, again) for h, again in rows if host is None or host in _hosts(h)]
        ends = {frozenset((h.source, h.target)) for h, _ in mine}
        found[interface] = Segments(len(mine), sum(again for _, again in mine), len(ends))
    return found


def _hosts(header: Header) -> tuple[str, str]:
    return header.source.rpartition(":")[0], header.target.rpartition(":")[0]


def _everywhere(sentence: Sentence, host: str | None = None) -> list[Segments]:
    return [each for name in sentence.captures() for each in _segments(sentence.folder / name, host).values()]


def _near(told: int, found: int) -> bool:
    return abs(told - found) <= max(1, NEARLY * found)


def _retransmitted(m: re.Match[str], sentence: Sentence) -> Problem:
    """Some interface shows these numbers; the SYNs and attempts are counted for the cited target."""
    again, everything = count(m["again"]), count(m["all"])
    counts = _everywhere(sentence)
    if not any(each.all == everything and _near(again, each.again) for each in counts):
        return f"the interfaces show {sorted(set(counts))}"
    if not m["syns"]:
        return None
    targets = {header.target for _, header in cited(sentence) if header.is_syn}
    tried = {
        isn
        for name in sentence.captures()
        for isn, syns in attempts_of(sentence.folder / name).items()
        if any(syn.target in targets for syn in syns)
    }
    if len(tried) != count(m["tried"]):
        return f"{len(tried)} attempts"
    lost = len({(h.seq, h.id) for _, h in cited(sentence) if h.is_syn})
    return None if sentence.cut or lost <= 2 * count(m["syns"]) else f"{lost} SYNs are cited"


def _rates(m: re.Match[str], sentence: Sentence) -> Problem:
    """SYNs sent to the cited targets, those followed by another or without answer, and data of some interface."""
    targets = {header.target for _, header in cited(sentence) if header.is_syn}
    lost, syns = _syns_to(sentence, targets)
    if (lost, syns) != (count(m["lost"]), count(m["syns"])):
        return f"{lost} of {syns} SYNs"
    again, everything = count(m["again"]), count(m["all"])
    for host in {target.rpartition(":")[0] for target in targets}:
        for each in _everywhere(sentence, host):
            # First data that a full queue drops may be left out, and so may all data behind it.
            most_left_out = each.connections + each.again if m["later"] else each.again
            fits = everything <= each.all <= everything + most_left_out
            if fits and again <= each.again + 1 and each.again - again <= most_left_out:
                return None
    return f"the interfaces show {[_everywhere(sentence, t.rpartition(':')[0]) for t in targets]}"


def _syns_to(sentence: Sentence, targets: set[str]) -> tuple[int, int]:
    """(followed by another or never answered, all), of the attempts to these targets: by ISN over all captures."""
    copies: dict[int, list[Header]] = defaultdict(list)
    answered = set()
    for name in sentence.captures():
        path = sentence.folder / name
        for isn, syns in attempts_of(path).items():
            copies[isn] += syns
        answered |= {(h.ack - 1) % _WORD for h in headers_of(path) if h.is_syn_ack}
    lost = everything = 0
    for isn, syns in copies.items():
        if any(syn.target in targets for syn in syns):
            number = len({syn.id for syn in sent(syns)})
            everything += number
            lost += number - (isn in answered)
    return lost, everything


def _offering_ecn(m: re.Match[str], sentence: Sentence) -> Problem:
    """Of SYNs to the cited targets with both flags and of the others: how many were sent again or never answered."""
    path = cited(sentence)[0][0]
    targets = {header.target for _, header in cited(sentence) if header.is_syn}
    lost, everything = {True: 0, False: 0}, {True: 0, False: 0}
    answered = {(h.ack - 1) % _WORD for h in headers_of(path) if h.is_syn_ack}
    for isn, syns in attempts_of(path).items():
        series = sent(syns) if any(syn.target in targets for syn in syns) else []
        for place, syn in enumerate(series):
            offers = syn.flags & _ECE_CWR == _ECE_CWR
            everything[offers] += 1
            lost[offers] += place + 1 < len(series) or isn not in answered
    found = lost[True], everything[True], lost[False], everything[False]
    wanted = tuple(count(m[name]) for name in ("some", "all", "others", "all_others"))
    return None if found == wanted else f"{found}"


def _by_place(m: re.Match[str], sentence: Sentence) -> Problem:
    """The numbers of all places add up to the cited SYNs that were sent again or never answered."""
    told = sum(count(number) for number in re.findall(rf": ({_N})(?=[;.])", m["places"]))
    lost, _ = _syns_to(sentence, {header.target for _, header in cited(sentence) if header.is_syn})
    return None if told == lost else f"{lost} SYNs were lost"


def _timeouts(m: re.Match[str], sentence: Sentence) -> Problem:
    """Cited segments with their repetitions: from the first copy to the last."""
    if sentence.cut:
        return None
    times: dict[tuple[int, int, bool], list[float]] = defaultdict(list)
    server = m["server"].rpartition(":")[2]
    for _, header in cited(sentence):
        if _is_data(header):
            back = header.source.rpartition(":")[2] == server
            times[header.seq, header.payload_bytes, back].append(header.time_ns / 1e9)
    waited = [max(each) - min(each) for each in times.values() if max(each) - min(each) > 2 * _CLOCKS_S]
    waited = waited or _behind_another(sentence)
    if len(waited) > count(m["some"]):
        return f"{len(waited)} repeated segments are cited"
    off = _CLOCKS_S * count(m["some"]) + told_s(m["wait"])
    if len(waited) == count(m["some"]) and abs(sum(waited) - seconds(m["wait"])) > off:
        return f"they waited {sum(waited):.3f} s"
    return None if waited and sum(waited) <= seconds(m["wait"]) + off else f"they waited {sum(waited):.3f} s"


def _behind_another(sentence: Sentence) -> list[float]:
    """Where the first copy was lost before the capture: from the frame before the wait to the segment."""
    by_connection: dict[frozenset[str], list[float]] = defaultdict(list)
    for _, header in cited(sentence):
        by_connection[frozenset((header.source, header.target))].append(header.time_ns / 1e9)
    pairs = (zip(sorted(times)[::2], sorted(times)[1::2], strict=True) for times in by_connection.values())
    return [after - before for pair in pairs for before, after in pair]


def _too_large(m: re.Match[str], sentence: Sentence) -> Problem:
    """The cited packets are no larger, go that way, and no ICMP error asks the sender for smaller ones."""
    ends = {_hosts(header) for _, header in cited(sentence) if _is_data(header)}
    if not any(m["sender"] in each for each in ends):
        return f"the cited packets go {sorted(ends)}"
    for name in sentence.captures():
        for header in headers_of(sentence.folder / name):
            if header.protocol == ICMP and header.flags == 3 and _hosts(header)[1] == m["sender"]:
                return f"frame {header.number} of {name} is an ICMP error to {m['sender']}"
    largest = max(header.payload_bytes for _, header in cited(sentence)) + 40
    return (
        None if largest <= count(m["bytes"]) <= largest + 60 else f"the largest cited one has {largest} bytes"
    )


def _after_answer(m: re.Match[str], sentence: Sentence) -> Problem:
    """From the last data of its sender to each cited RST."""
    gaps = []
    for path, reset in cited(sentence):
        answers = [
            h.time_ns
            for h in headers_of(path)
            if _is_data(h)
            and (h.source, h.target) == (reset.source, reset.target)
            and h.time_ns < reset.time_ns
        ]
        if answers and reset.flags & RST:
            gaps.append((reset.time_ns - max(answers)) / 1e9)
    if not gaps:
        return "no cited request follows an answer"
    spread = max(gaps) - min(gaps)
    if abs(spread - seconds(m["within"])) > told_s(m["within"]) + 0.001:
        return f"they are {spread * 1e3:.1f} ms apart"
    off = abs(median(gaps) - seconds(m["wait"]))
    return None if off <= told_s(m["wait"]) + 0.001 else f"a median of {median(gaps):.4f} s"


def _lost_after_idle(m: re.Match[str], sentence: Sentence) -> Problem:
    """Cited segments of the connections, and how many of them no capture shows on the outer interface."""
    outer = interface_numbers(m["outer"], sentence)
    cited_data = {(h.seq, h.payload_bytes) for _, h in cited(sentence) if _is_data(h) and h.flags & ACK}
    seen = {
        (h.seq, h.payload_bytes)
        for name in sentence.captures()
        for h in headers_of(sentence.folder / name)
        if _is_data(h) and h.interface in outer
    }
    return f"{len(cited_data & seen)} of them are on {m['outer']}" if cited_data & seen else None


def _shared(m: re.Match[str], sentence: Sentence) -> Problem:
    """Every cited packet has these addresses, or a copy of it has, elsewhere behind NAT."""
    told = {each for each in m.groupdict().values() if each}
    known: dict[tuple[int, int], set[str]] = defaultdict(set)
    for _, header in cited(sentence):
        known[header.seq, header.payload_bytes].update(_hosts(header))
    if not known:
        return "nothing is cited"
    others = [sorted(hosts) for hosts in known.values() if not told <= hosts]
    return f"a cited packet has the addresses {others[0]}" if others else None


_T = r"[\d,.]+ (?:s|ms|µs)"

CHECKS: tuple[tuple[str, Check], ...] = (
    (
        rf"(?P<some>{_N}) of (?P<all>{_N}) SYNs? that offer ECN \(flags ECE and CWR\) (?:was|were) lost, "
        rf"(?P<others>{_N}) of (?P<all_others>{_N}) without these flags \(p .+\)\.",
        _offering_ecn,
    ),
    (rf"Where the packets were lost: (?P<places>.+: {_N}\.)", _by_place),
    (
        rf"(?P<again>{_N}) of (?P<all>{_N}) data segments were retransmitted"
        rf"(?:, against (?P<syns>{_N}) SYNs? of (?P<tried>{_N}) connection attempts?)?\.",
        _retransmitted,
    ),
    (
        rf"(?P<lost>{_N}) of (?P<syns>{_N}) SYNs? got no SYN-ACK in time, and (?P<again>{_N}) of (?P<all>{_N}) data "
        rf"segments? (?:was|were) retransmitted(?P<later>, clients' first data left out|: data is lost as often)?"
        rf".*",
        _rates,
    ),
    (
        rf"(?P<some>{_N}) segments? to or from (?P<server>\S+) waited (?P<wait>{_T}) for retransmission timeouts: .+",
        _timeouts,
    ),
    (
        rf"Packets of (?P<bytes>{_N}) bytes from (?P<sender>[\d.]+) to [\d.]+ do not pass, smaller ones do, and the "
        r"sender gets no ICMP message\.",
        _too_large,
    ),
    (
        rf"The RSTs came (?P<wait>{_T}) \(median\) after the last answer, all within (?P<within>{_T})\.",
        _after_answer,
    ),
    (
        rf"{_N} of {_N} segments after the idle time were lost inside the node, between .+ and "
        r"(?P<outer>interface \d+|\S+)\.",
        _lost_after_idle,
    ),
    (r"These losses share the host (?P<host>[\d.]+)\.", _shared),
    (r"These losses share the path between (?P<one>[\d.]+) and (?P<other>[\d.]+)\.", _shared),
)
