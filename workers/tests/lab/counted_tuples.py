"""Addresses and ports that were used before, and what sentences say of attempts on them and of where SYNs were seen."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING

from workers.tests.lab.counted_attempts import (
    answers_of,
    attempts_of,
    cited,
    cited_isns,
    cited_transmissions,
    sent,
)
from workers.tests.lab.headers import ACK, FIN, ICMP, RST, TCP, Header, headers_of
from workers.tests.lab.sentences import count, interface_numbers, seconds, told_s

if TYPE_CHECKING:
    from pathlib import Path

    from workers.tests.lab.sentences import Check, Problem, Sentence

_WORD = 1 << 32
_CLOCKS_S = 0.003
_PROMPT_S = 0.005
_FIRST_TIMEOUT_S = 1.0
_SHARE_OFF = 0.02
_UNREACHABLE = 3


@lru_cache(maxsize=8)
def _packets_of(path: Path) -> dict[frozenset[str], list[tuple[int, int]]]:
    """(time, ISN of the attempt, 0 for what ends a connection, or -1) of each packet, by the two ends."""
    found: dict[frozenset[str], list[tuple[int, int]]] = defaultdict(list)
    for header in headers_of(path):
        if header.protocol == TCP:
            isn = header.seq if header.is_syn else 0 if header.flags & (FIN | RST) else -1
            found[frozenset((header.source, header.target))].append((header.time_ns, isn))
    return dict(found)


def _ended_s(path: Path, syn: Header) -> float | None:
    """How long before this first SYN of an attempt another connection on its tuple had ended, or was last seen."""
    packets = _packets_of(path)[frozenset((syn.source, syn.target))]
    before = [each for each in packets if each[0] < syn.time_ns and each[1] != syn.seq]
    ends = [time_ns for time_ns, isn in before if not isn] or [time_ns for time_ns, _ in before]
    return (syn.time_ns - max(ends)) / 1e9 if ends else None


def _first_syns(path: Path, targets: set[str]) -> dict[int, Header]:
    """By ISN, at the outermost place that shows it: its last copy is the one behind a NAT."""
    found = {}
    for isn, syns in attempts_of(path).items():
        mine = [s for s in syns if s.target in targets]
        if mine:
            found[isn] = [s for s in mine if s.time_ns - mine[0].time_ns < _PROMPT_S * 1e9][-1]
    return found


def _targets(sentence: Sentence, path: Path) -> set[str]:
    return {h.target for p, h in cited(sentence) if p == path and h.is_syn}


def _waited(path: Path, isn: int, *, open_too: bool = False) -> bool:
    """Its SYN was sent again or stayed without a SYN-ACK; where the file ends too soon to show either, it is open."""
    answered = any(h.is_syn_ack for h in answers_of(path).get(isn, ()))
    syns = sent(attempts_of(path)[isn])
    left_s = (headers_of(path)[-1].time_ns - syns[-1].time_ns) / 1e9
    return len(syns) > 1 or (not answered and (open_too or left_s > _FIRST_TIMEOUT_S))


def _reused(m: re.Match[str], sentence: Sentence) -> Problem:
    """In one of the cited captures: attempts on tuples used before and on others, and how many of each waited."""
    seen = []
    for path in {path for path, _ in cited(sentence)}:
        firsts = _first_syns(path, _targets(sentence, path))
        ended = {isn: _ended_s(path, syn) for isn, syn in firsts.items()}
        used = {isn: gap for isn, gap in ended.items() if gap is not None}
        unused = sum(_waited(path, isn) for isn in ended.keys() - used.keys()), len(ended) - len(used)
        gaps = [gap for isn, gap in used.items() if _waited(path, isn)]
        most = sum(_waited(path, isn, open_too=True) for isn in used)
        seen.append((len(gaps), most, len(used), *unused, median(gaps) if gaps else 0.0))
        right = len(gaps) <= count(m["some"]) <= most and len(used) == count(m["all"])
        right = right and unused == (count(m["unused_some"]), count(m["unused"]))
        if right and abs(seen[-1][-1] / seconds(m["wait"]) - 1) < _SHARE_OFF:
            return None
    return f"the captures show {seen}"


def _ended_before(m: re.Match[str], sentence: Sentence) -> Problem:
    """The shortest and the longest time since the tuple of a cited attempt had been used."""
    for path in {path for path, _ in cited(sentence)}:
        firsts = _first_syns(path, _targets(sentence, path))
        gaps = [
            gap
            for isn in cited_isns(sentence) & firsts.keys()
            if _waited(path, isn) and (gap := _ended_s(path, firsts[isn])) is not None
        ]
        ends = ((m["least"], min(gaps, default=0)), (m["most"], max(gaps, default=0)))
        if all(abs(measured - seconds(text)) <= told_s(text) + _CLOCKS_S for text, measured in ends):
            return None
    return "the cited attempts show other times"


def _one_ended_before(m: re.Match[str], sentence: Sentence) -> Problem:
    """The later cited SYN, and the last packet before it on its tuple."""
    path, syn = max(cited(sentence), key=lambda each: each[1].time_ns)
    ended = _ended_s(path, syn)
    if m["client"] != syn.source or m["server"] != syn.target:
        return f"the cited SYN goes from {syn.source} to {syn.target}"
    near = ended is not None and abs(ended - seconds(m["wait"])) <= told_s(m["wait"]) + _CLOCKS_S
    return None if near else f"its tuple had been used until {ended} s before"


def _passed_after(m: re.Match[str], sentence: Sentence) -> Problem:
    """A cited SYN comes so long after the first of its attempt, and goes there."""
    for path, header in cited(sentence):
        first = min(syn.time_ns for syn in attempts_of(path)[header.seq])
        wait_s = (header.time_ns - first) / 1e9
        if abs(wait_s - seconds(m["wait"])) <= told_s(m["wait"]) + _CLOCKS_S:
            targets = {other.target for _, other in cited(sentence)}
            return None if m["target"] is None or m["target"] in targets else f"they go to {sorted(targets)}"
    return f"no cited SYN comes {m['wait']} after the first"


def _not_acknowledged(m: re.Match[str], sentence: Sentence) -> Problem:
    """Beside the client's SYN a bare ACK of another number, and a RST."""
    headers = [h for _, h in cited(sentence)]
    syns = [h for h in headers if h.is_syn]
    if not any(h.source == m["client"] for h in syns):
        return f"no cited SYN is of {m['client']}"
    acks = [h for h in headers if h.flags & (ACK | RST) == ACK and not h.is_syn_ack]
    if not acks or any((h.ack - 1) % _WORD in {s.seq for s in syns} for h in acks):
        return "no cited ACK has another number"
    return None if any(h.flags & RST for h in headers) else "no RST is cited"


def _answered_before(m: re.Match[str], sentence: Sentence) -> Problem:
    """Retransmissions of cited attempts, and those with a SYN-ACK captured before them."""
    if sentence.cut:
        return None
    everything = answered = 0
    for isn in cited_isns(sentence):
        path = next(path for path, h in cited(sentence) if h.seq == isn or (h.ack - 1) % _WORD == isn)
        back = [h.time_ns for h in answers_of(path).get(isn, ()) if h.is_syn_ack]
        again = sent(attempts_of(path).get(isn, []))[1:]
        everything += len(again)
        answered += sum(any(at < syn.time_ns for at in back) for syn in again)
    found = answered, everything
    return None if found == (count(m["some"]), count(m["all"])) else f"{answered} of {everything}"


def _opened(m: re.Match[str], sentence: Sentence) -> Problem:
    """Attempts to the cited targets in one capture: all, with a SYN-ACK, and how their retransmissions fared."""
    path = cited(sentence)[0][0]
    targets = _targets(sentence, path)
    all_ = opened = at_once = never = again = helped = 0
    for isn, syns in attempts_of(path).items():
        if not any(s.target in targets for s in syns):
            continue
        number, back = len(sent(syns)), any(h.is_syn_ack for h in answers_of(path).get(isn, ()))
        all_, opened, again = all_ + 1, opened + back, again + number - 1
        at_once, never = at_once + (back and number == 1), never + (not back)
        helped += back and number > 1
    told = m.groupdict()
    found = [at_once, never, helped, again] if told.get("first") else [opened, all_]
    wanted = [count(told[name]) for name in ("first", "none", "some", "all") if told.get(name)]
    return None if found == wanted else f"{found}"


def _by_interface(m: re.Match[str], sentence: Sentence) -> Problem:
    """SYNs to the target by interface, and the attempts among them that were answered at once."""
    path = next(
        sentence.folder / name for name in sentence.captures() if _interfaces(sentence.folder / name) > 1
    )
    counts: dict[str, tuple[int, int]] = {}
    for way in ("dead", "alive"):
        sent_here = answered = 0
        for isn, syns in attempts_of(path).items():
            here = [
                s
                for s in syns
                if s.interface in interface_numbers(m[way], sentence) and s.target == m["target"]
            ]
            sent_here += len({s.id for s in here})
            back = any(h.is_syn_ack for h in answers_of(path).get(isn, ()))
            answered += back and bool(here) and len(sent(syns)) == 1
        counts[way] = answered, sent_here
    found = counts["dead"][0], counts["dead"][1], counts["alive"][0]
    return None if found == (0, count(m["lost"]), count(m["some"])) else f"{found}"


def _interfaces(path: Path) -> int:
    return len({header.interface for header in headers_of(path)})


def _destinations(m: re.Match[str], sentence: Sentence) -> Problem:
    """Of the capture that shows most of them; behind a DNAT one destination has several addresses."""
    by_file: dict[Path, set[str]] = defaultdict(set)
    for path, header in cited(sentence):
        if header.is_syn:
            by_file[path].add(header.target)
    most = max(map(len, by_file.values()))
    return None if sentence.cut or most == count(m["some"]) else f"SYNs to {most} destinations are cited"


def _only_there(m: re.Match[str], sentence: Sentence) -> Problem:
    """All cited SYNs are of one capture, and no other shows their attempts."""
    paths = {path for path, _ in cited(sentence)}
    isns = cited_isns(sentence)
    others = [
        name
        for name in sentence.captures()
        if sentence.folder / name not in paths and isns & attempts_of(sentence.folder / name).keys()
    ]
    return f"{others or sorted(paths)} show them, too" if others or len(paths) != 1 else None


def _at_interface(m: re.Match[str], sentence: Sentence) -> Problem:
    """The cited SYN is not beyond it: at that interface it is absent, or seen last."""
    for path, header in cited(sentence):
        later = [h for h in attempts_of(path)[header.seq] if 0 < h.time_ns - header.time_ns < _PROMPT_S * 1e9]
        numbers = interface_numbers(m["interface"], sentence)
        here = any(h.interface in numbers for h in headers_of(path))
        if not here or (later and later[-1].interface not in numbers):
            return f"the SYN of frame {header.number} was lost elsewhere"
    return None


def _port_unreachable(m: re.Match[str], sentence: Sentence) -> Problem:
    """Cited ICMP errors of that reporter whose quoted packet is from that host."""
    found: dict[Path, int] = defaultdict(int)
    for path, header in cited(sentence):
        if header.protocol != ICMP or header.flags != _UNREACHABLE:
            return f"frame {header.number} is no such error"
        quoted = ".".join(map(str, header.payload[12:16]))
        found[path] += header.source.rpartition(":")[0] == m["reporter"] and quoted == m["sender"]
    most = max(found.values())
    return None if sentence.cut or most == count(m["some"]) else f"{most} are cited"


def _late_behind(m: re.Match[str], sentence: Sentence) -> Problem:
    """Cited packets of the sender, in both captures: for most of them more time lies between than for the promptest."""
    times: dict[tuple[int, int], dict[Path, float]] = defaultdict(dict)
    for path in {path for path, _ in cited(sentence)}:
        for header in headers_of(path):
            if header.source.rpartition(":")[0] == m["sender"]:
                times[header.id, header.seq][path] = header.time_ns / 1e9
    crossed = sorted(max(each.values()) - min(each.values()) for each in times.values() if len(each) == 2)
    if not crossed:
        return f"no packet of {m['sender']} is in two captures"
    return None if crossed[-1] - crossed[0] > _PROMPT_S else f"the slowest crossed in {crossed[-1]:.6f} s"


def _one_end(m: re.Match[str], sentence: Sentence) -> Problem:
    """The host is an end of every cited packet, and one capture is cited."""
    ends = [{h.source.rpartition(":")[0], h.target.rpartition(":")[0]} for _, h in cited(sentence)]
    strange = [each for each in ends if m["host"] not in each]
    return f"a cited packet is between {sorted(strange[0])}" if strange else None


def _same_port(m: re.Match[str], sentence: Sentence) -> Problem:
    """The cited SYNs of two sources have it, and only one of them is cited in conntrack's events."""
    ports = {h.source.rpartition(":")[2] for _, h in cited(sentence)}
    if ports != {m["port"]}:
        return f"the cited SYNs have the ports {sorted(ports)}"
    lines = [line for cited_lines in sentence.lines().values() for line in cited_lines]
    return (
        None
        if len(lines) <= 1 and all(f"sport={m['port']}" in line for line in lines)
        else f"{len(lines)} lines"
    )


def _ports_of(m: re.Match[str], sentence: Sentence) -> Problem:
    """The lowest and the highest source port of that address's SYNs."""
    ports = [
        int(h.source.rpartition(":")[2])
        for name in sentence.captures()
        for h in headers_of(sentence.folder / name)
        if h.is_syn and h.source.rpartition(":")[0] == m["host"]
    ]
    found = min(ports), max(ports)
    return None if found == (int(m["low"]), int(m["high"])) else f"{found[0]} to {found[1]}"


def _port_range(m: re.Match[str], sentence: Sentence) -> Problem:
    """So many ports are in a range of as many, and so many SYNs are cited."""
    if int(m["high"]) - int(m["low"]) + 1 != count(m["all"]):
        return f"{m['low']} to {m['high']} are not {m['all']} ports"
    lost = len({(h.seq, h.id) for _, h in cited(sentence) if h.is_syn})
    return None if not m["lost"] or sentence.cut or lost == count(m["lost"]) else f"{lost} SYNs are cited"


_N = r"[\d,]+"
_T = r"[\d,.]+ (?:s|ms|µs)"
_END = r"[\d.]+:\d+"
_FISHER = r"\(Fisher's exact test, p [<>=] [\d.]+\)\."

CHECKS: tuple[tuple[str, Check], ...] = (
    (
        rf"(?P<some>{_N}) of (?P<all>{_N}) attempts on a 5-tuple last used (?P<wait>{_T}) earlier \(median\) had SYN "
        rf"retransmissions or stayed unanswered, against (?P<unused_some>{_N}) of (?P<unused>{_N}) on unused 5-tuples "
        rf"{_FISHER}",
        _reused,
    ),
    (rf"The earlier connections had ended (?P<least>{_T}) to (?P<most>{_T}) before\.", _ended_before),
    (
        rf"{_N} of {_N} were sent on a tuple whose earlier connection had ended (?P<least>{_T}) to (?P<most>{_T}) "
        r"before\.",
        _ended_before,
    ),
    (
        rf"(?P<client>{_END}) had a connection to (?P<server>{_END}) that ended (?P<wait>{_T}) before\.",
        _one_ended_before,
    ),
    (
        rf"(?P<client>{_END}) was in use towards (?P<server>{_END}) until (?P<wait>{_T}) before\.",
        _one_ended_before,
    ),
    (rf"The retransmitted SYN passed after (?P<wait>{_T})(?: to (?P<target>{_END}))?\.", _passed_after),
    (
        rf"The SYN of (?P<client>{_END}) was answered by an ACK that does not acknowledge it; the client reset it\.",
        _not_acknowledged,
    ),
    (
        rf"(?P<some>{_N}) of (?P<all>{_N}) retransmitted SYNs had been answered on .+ before the retransmission\.",
        _answered_before,
    ),
    (rf"(?P<some>{_N}) of (?P<all>{_N}) attempts to this port opened\.", _opened),
    (
        rf"(?P<first>{_N}) connections? opened with their first SYN, (?P<none>{_N}) with none of theirs: "
        rf"(?P<some>{_N}) of (?P<all>{_N}) SYN retransmissions was answered \(p .+\)\.",
        _opened,
    ),
    (
        rf"(?P<lost>{_N}) SYNs? to (?P<target>{_END}) left by (?P<dead>interface \d+|\S+), none was answered; "
        rf"(?P<some>{_N}) connections? opened with the first SYN by "
        r"(?P<alive>interface \d+|[\w.@-]+).* \(p .+\)\.",
        _by_interface,
    ),
    (rf"(?P<some>{_N}) destinations lost SYNs in this capture\.", _destinations),
    (r"The lost SYNs were captured on .+ only; where they were lost is unknown\.", _only_there),
    (r"These losses share the path at (?P<interface>interface \d+|\S+)\.", _at_interface),
    (
        rf"(?P<some>{_N}) errors? for packets of (?P<sender>[\d.]+): port unreachable, reported by "
        r"(?P<reporter>[\d.]+)\.",
        _port_unreachable,
    ),
    (
        r"The requests left (?P<sender>[\d.]+) on time, reached the vantage point of [\d.]+ late and together, .+",
        _late_behind,
    ),
    (
        r"(?P<sender>[\d.]+) answered promptly; the responses reached the vantage point of [\d.]+ late and together\.",
        _late_behind,
    ),
    (r"Only one end was captured: (?P<host>[\d.]+) itself, .+", _one_end),
    (
        r"SNAT gave both source port (?P<port>\d+) \(inferred\); only one conntrack entry could be inserted\.",
        _same_port,
    ),
    (r"In this capture occur only the ports (?P<low>\d+) to (?P<high>\d+) for (?P<host>[\d.]+)\.", _ports_of),
    (
        rf"{_N} of (?P<all>{_N}) SNAT ports of [\d.]+ were in use to \S+ at once \((?:the rule allows|only) "
        rf"(?P<low>\d+) to (?P<high>\d+)(?: occur)?\)(?:; (?P<lost>{_N}) SYNs? "
        r"(?:was|were) dropped while .+|\. .+)",
        _port_range,
    ),
    (
        rf"SYN captured before the NAT and absent behind it: (?P<some>{_N}) of (?P<all>{_N})\.",
        cited_transmissions,
    ),
    (
        rf"(?P<some>{_N}) of {_N} (?:lost|retransmitted or unanswered) SYNs? got no answer at all \(.+\)\.",
        cited_transmissions,
    ),
    (
        rf"(?P<some>{_N}) SYNs on reused 5-tuples were lost, against {_N} of {_N} on unused ones .+",
        cited_transmissions,
    ),
)
