"""Connection attempts of whole captures, and what sentences say of those lost, of rivals and ports."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING

from workers.tests.lab.headers import ACK, RST, SYN, TCP, Header, headers_of
from workers.tests.lab.sentences import count, seconds, told_s

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from workers.tests.lab.sentences import Check, Problem, Sentence

NEAR_S = 0.001
"""SYNs of two sources that compete for a port."""
COPY_S = 0.005
"""Copies of a packet on other interfaces are less apart, repetitions of a SYN more."""
UNORDERED = 1
"""SYNs of one microsecond have no order: the stamp of the one before may be either's."""
_WORD = 1 << 32


@lru_cache(maxsize=8)
def attempts_of(path: Path) -> dict[int, list[Header]]:
    """By initial sequence number, which NAT leaves: its SYNs on all interfaces."""
    found: dict[int, list[Header]] = defaultdict(list)
    for header in headers_of(path):
        if header.is_syn:
            found[header.seq].append(header)
    return dict(found)


@lru_cache(maxsize=8)
def answers_of(path: Path) -> dict[int, list[Header]]:
    """By the number that they acknowledge less one: SYN-ACKs and RSTs."""
    found: dict[int, list[Header]] = defaultdict(list)
    for header in headers_of(path):
        if header.protocol == TCP and (header.is_syn_ack or header.flags & RST):
            found[(header.ack - 1) % _WORD].append(header)
    return dict(found)


def sent(syns: Iterable[Header]) -> list[Header]:
    """One SYN for each transmission: the first copy."""
    found: list[Header] = []
    for syn in sorted(syns, key=lambda each: each.time_ns):
        if not found or syn.time_ns - found[-1].time_ns > COPY_S * 1e9 or syn.id != found[-1].id:
            found.append(syn)
    return found


def cited(sentence: Sentence, part: int | None = None) -> list[tuple[Path, Header]]:
    """(capture, header) of the cited frames, of one part of the evidence or of all."""
    parts = sentence.evidence if part is None else sentence.evidence[part : part + 1]
    found = []
    for each in parts:
        if each["frames"]:
            path, numbers = sentence.folder / each["input"], set(each["frames"])
            found += [(path, header) for header in headers_of(path) if header.number in numbers]
    return found


def cited_isns(sentence: Sentence, part: int | None = None) -> set[int]:
    """Of the attempts whose SYNs or SYN-ACKs are cited."""
    found = {header.seq for _, header in cited(sentence, part) if header.is_syn}
    return found | {(header.ack - 1) % _WORD for _, header in cited(sentence, part) if header.is_syn_ack}


def _differs(found: int, told: str, what: str) -> Problem:
    return None if found == count(told) else f"{found} {what}"


def cited_attempts(m: re.Match[str], sentence: Sentence) -> Problem:
    """As many attempts are cited as are told of."""
    told = m.groupdict()
    some = told.get("all") or told["some"]
    return None if sentence.cut else _differs(len(cited_isns(sentence)), some, "attempts are cited")


def cited_transmissions(m: re.Match[str], sentence: Sentence) -> Problem:
    """As many SYNs: one attempt may have lost several."""
    found = {(h.seq, h.id) for _, h in cited(sentence) if h.is_syn}
    told = m.groupdict()
    return None if sentence.cut else _differs(len(found), told.get("all") or told["some"], "SYNs are cited")


def _answered_again(m: re.Match[str], sentence: Sentence) -> Problem:
    """Of the attempts whose SYN-ACKs are cited: how many opened after a second SYN."""
    if sentence.cut:
        return None
    path = cited(sentence)[0][0]
    opened = 0
    for isn in cited_isns(sentence):
        back = [h.time_ns for h in answers_of(path).get(isn, []) if h.is_syn_ack]
        syns = sent(attempts_of(path).get(isn, []))
        opened += bool(back) and sum(syn.time_ns < min(back) for syn in syns) > 1
    return _differs(opened, m["some"], "attempts opened after a second SYN")


def _rivals(m: re.Match[str], sentence: Sentence) -> Problem:
    """Lost SYNs, and how near the nearest SYN of another source with their port was."""
    gaps = sorted(_nearest_rivals_s(sentence))
    if len(gaps) != count(m["some"]):
        return f"{len(gaps)} cited attempts had a rival within 1 ms"
    told = m.groupdict()
    if told.get("least") is None:
        return None
    for text, measured in (
        (told["least"], gaps[0]),
        (told["most"], gaps[-1]),
        (told["middle"], median(gaps)),
    ):
        if abs(float(text) * 1e-6 - measured) > 1.01e-6:
            return f"{measured * 1e6:.1f} µs, not {text}"
    return None


def _nearest_rivals_s(sentence: Sentence) -> list[float]:
    path = cited(sentence)[0][0]
    by_port: dict[tuple[str, str, int], list[Header]] = defaultdict(list)
    for syns in attempts_of(path).values():
        for syn in syns:
            by_port[syn.source.rpartition(":")[2], syn.target, syn.interface].append(syn)
    gaps = []
    for isn in cited_isns(sentence, 0):
        syns = sent(attempts_of(path)[isn])
        if len(syns) < 2:
            continue
        first = [s for s in attempts_of(path)[isn] if s.time_ns - syns[0].time_ns < COPY_S * 1e9]
        others = [
            abs(o.time_ns - mine.time_ns) / 1e9
            for mine in first
            for o in by_port[mine.source.rpartition(":")[2], mine.target, mine.interface]
            if o.seq != mine.seq and o.source != mine.source
        ]
        if others and min(others) <= NEAR_S:
            gaps.append(min(others))
    return gaps


def _sent_again_by(m: re.Match[str], sentence: Sentence) -> Problem:
    """``10.0.0.1:4000 retransmitted its SYN after 1,031 ms, and it passed with source port 18113``."""
    told = m.groupdict()
    for path in {path for path, _ in cited(sentence)}:
        for isn in cited_isns(sentence):
            syns = sent(attempts_of(path).get(isn, []))
            starts = [s for s in attempts_of(path).get(isn, []) if s.source == told["client"]]
            if not starts or len(syns) < 2:
                continue
            waits = [(s.time_ns - syns[0].time_ns) / 1e9 for s in syns[1:]]
            near = [w for w in waits if abs(w - seconds(told["wait"])) <= told_s(told["wait"]) + 0.001]
            ports = {
                s.source.rpartition(":")[2]
                for name in sentence.captures()
                for s in attempts_of(sentence.folder / name).get(isn, ())
            }
            if near and (told.get("port") is None or told["port"] in ports):
                return None
    return "no cited SYN was sent again so"


def _passed(m: re.Match[str], sentence: Sentence) -> Problem:
    """Of the cited attempts the last SYN is answered."""
    if sentence.cut:
        return None
    isns = cited_isns(sentence)
    captures = [sentence.folder / name for name in sentence.captures()]
    opened = sum(
        any(h.is_syn_ack for path in captures for h in answers_of(path).get(isn, ())) for isn in isns
    )
    if (opened, len(isns)) != (count(m["some"]), count(m["all"])):
        return f"{opened} of {len(isns)} cited attempts opened"
    if m.groupdict().get("wait"):
        first = cited(sentence)[0][0]
        waits = [
            (syns[-1].time_ns - syns[0].time_ns) / 1e9
            for isn in isns
            if len(syns := sent(attempts_of(first).get(isn, []))) > 1
        ]
        if not waits or abs(median(waits) - seconds(m["wait"])) > told_s(m["wait"]) + 0.001:
            return f"a median of {median(waits) if waits else None} s"
    return None


def _other_ports(m: re.Match[str], sentence: Sentence) -> Problem:
    """Attempts to the cited port and to others of its address: how many opened, how many had to wait."""
    opened, mine, others, waited = set(), set(), set(), set()
    targets = {header.target for _, header in cited(sentence) if header.is_syn}
    hosts = {target.rpartition(":")[0] for target in targets}
    for name in sentence.captures():
        path = sentence.folder / name
        for isn, syns in attempts_of(path).items():
            if any(s.target in targets for s in syns):
                mine.add(isn)
                opened |= {isn} if any(h.is_syn_ack for h in answers_of(path).get(isn, ())) else set()
            elif any(s.target.rpartition(":")[0] in hosts for s in syns):
                others.add(isn)
                waited |= {isn} if len(sent(syns)) > 1 else set()
    found = len(opened), len(mine), len(others), len(waited)
    told = tuple(count(m[name]) for name in ("some", "all", "others", "waited"))
    return None if found == told else f"{found[0]} of {found[1]}, {found[3]} of {found[2]} others"


def _host_up(m: re.Match[str], sentence: Sentence) -> Problem:
    diagnosed = {h.target for _, h in cited(sentence)} | {h.source for _, h in cited(sentence)}
    hosts = {end.rpartition(":")[0] for end in diagnosed}
    answered = {
        isn
        for name in sentence.captures()
        for isn, back in answers_of(sentence.folder / name).items()
        if isn in attempts_of(sentence.folder / name)
        if any(h.source.rpartition(":")[0] in hosts for h in back)
    }
    return None if len(answered) >= count(m["some"]) else f"{len(answered)} attempts to it were answered"


def _same_syn_acks(m: re.Match[str], sentence: Sentence) -> Problem:
    """Attempts with a SYN-ACK that was sent more than once."""
    again: dict[int, set[int]] = defaultdict(set)
    for _, header in cited(sentence):
        if header.is_syn_ack:
            again[header.ack].add(header.time_ns // 5_000_000)
    several = sum(len(times) > 1 for times in again.values())
    return None if several == count(m["some"]) or sentence.cut else f"{several} attempts"


def _timestamps(m: re.Match[str], sentence: Sentence) -> Problem:
    """At one interface, after the last SYN of the same address that was not lost, within a minute."""
    lost = {(h.seq, h.id) for _, h in cited(sentence) if h.is_syn}
    told = {name: count(text) for name, text in m.groupdict().items()}
    tallies: list[dict[str, int]] = []
    for path in {path for path, _ in cited(sentence)}:
        places: dict[tuple[int, str, str], list[Header]] = defaultdict(list)
        for header in headers_of(path):
            if header.is_syn and header.timestamp > 0:
                source, target = (end.rpartition(":")[0] for end in (header.source, header.target))
                places[header.interface, source, target].append(header)
        by_target: dict[tuple[int, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for (interface, _, target), syns in places.items():
            for name, number in _stamped(syns, lost).items():
                by_target[interface, target][name] += number
        tallies += by_target.values()
    fits = any(
        all(abs(tally[name] - number) <= UNORDERED for name, number in told.items()) for tally in tallies
    )
    return None if fits or sentence.cut else f"{[dict(tally) for tally in tallies]}"


def _stamped(syns: list[Header], lost: set[tuple[int, int]]) -> dict[str, int]:
    """How many have a lower and how many a higher timestamp, and how many of these are lost."""
    tally = dict.fromkeys(("some", "all", "passed", "higher_lost", "higher"), 0)
    last: Header | None = None
    for syn in syns:
        is_lost = (syn.seq, syn.id) in lost
        if last is not None and syn.time_ns - last.time_ns < _REMEMBERED_NS:
            back = (last.timestamp - syn.timestamp) % _WORD
            lower = 0 < back < _WORD // 2
            tally["all" if lower else "higher"] += 1
            tally["some" if lower else "higher_lost"] += is_lost
            tally["passed"] += lower and not is_lost
        last = last if is_lost else syn
    return tally


def _collides(m: re.Match[str], sentence: Sentence) -> Problem:
    """The cited ACKs, copies of an interface left out, acknowledge no SYN that was sent."""
    acks: list[Header] = []
    for path, header in sorted(cited(sentence), key=lambda each: each[1].time_ns):
        if header.flags & (SYN | ACK | RST) != ACK:
            return f"frame {header.number} is no ACK"
        if (header.ack - 1) % _WORD in attempts_of(path):
            recent = attempts_of(path)[(header.ack - 1) % _WORD]
            if any(0 <= header.time_ns - syn.time_ns < COPY_S * 1e9 for syn in recent):
                return f"frame {header.number} acknowledges a SYN"
        if not any((a.seq, a.ack) == (header.seq, header.ack) for a in acks if _is_copy(a, header)):
            acks.append(header)
    # An attempt may be answered so more than once.
    return None if len(acks) >= count(m["some"]) else f"{len(acks)} ACKs are cited"


def _is_copy(one: Header, other: Header) -> bool:
    return abs(other.time_ns - one.time_ns) <= COPY_S * 1e9


_REMEMBERED_NS = 60_000_000_000
_N = r"[\d,]+"
_T = r"[\d,.]+ (?:s|ms|µs)"

CHECKS: tuple[tuple[str, Check], ...] = (
    (
        rf"(?P<some>{_N}) of (?P<all>{_N}) attempts? opened after the SYN was retransmitted\.",
        _answered_again,
    ),
    (
        rf"(?P<some>{_N}) lost SYNs? (?:was|were) sent within 1 ms of another source's SYN with the same source port\.",
        _rivals,
    ),
    (
        rf"(?P<some>{_N}) of {_N} lost SYNs competed with a SYN of the same source port (?P<least>[\d.]+) to "
        r"(?P<most>[\d.]+) µs away \(median (?P<middle>[\d.]+)\); of SYNs without a competing SYN .+",
        _rivals,
    ),
    (
        rf"(?P<client>[\d.]+:\d+) retransmitted its SYN after (?P<wait>{_T})(?:, and it passed)?"
        r"(?: (?:with source|from) port (?P<port>\d+))?\.",
        _sent_again_by,
    ),
    (
        rf"The retransmission passed (?:with a (?:new source port|port of the range) )?in (?P<some>{_N}) of "
        rf"(?P<all>{_N}) cases(?:, (?P<wait>{_T}) later \(median\))?\.",
        _passed,
    ),
    (
        rf"(?P<some>{_N}) of (?P<all>{_N}) attempts? to this port opened; of (?P<others>{_N}) to other ports of the "
        rf"host (?P<waited>{_N}) waited .+",
        _other_ports,
    ),
    (rf"The host is up: (?P<some>{_N}) attempts? to its other ports (?:was|were) answered\.", _host_up),
    (rf"The server retransmitted its SYN-ACK in (?P<some>{_N}) attempts?: .+", _same_syn_acks),
    (
        rf"(?P<some>{_N}) of (?P<all>{_N}) (?:lost|retransmitted or unanswered) SYNs? "
        r"(?:were captured as far out as|left one host and did not) .+",
        cited_transmissions,
    ),
    (
        rf"SYN (?:captured|seen) .+, absent .+: (?P<some>{_N}) of (?P<all>{_N})(?:, joined by .+)?\.",
        cited_attempts,
    ),
    (rf"(?P<some>{_N}) SYNs captured on .+, absent on .+, behind the SNAT\.", cited_attempts),
    (rf"(?P<some>{_N}) SYNs seen on .+, none answered; .+", cited_transmissions),
    (rf"(?P<some>{_N}) first SYNs answered by an ACK that does not acknowledge it: .+", _collides),
    (rf"(?P<some>{_N}) attempts at different times all failed\.", cited_attempts),
    (rf"The retransmissions were lost, too, in (?P<some>{_N}) of (?P<all>{_N}) cases\.", cited_attempts),
    (rf"(?P<some>{_N}) connections sent to \S+ got no SYN-ACK\.", cited_attempts),
    (rf"(?P<some>{_N}) SYNs were lost inside IPVS on 5-tuples whose .+", cited_attempts),
    (rf"(?P<some>{_N}) connections to \S+ began after ipvsadm showed weight 0\.", cited_attempts),
    (rf"(?P<some>{_N}) new connections were sent to \S+ after its weight became 0; .+", cited_attempts),
    (
        rf"(?P<some>{_N}) of {_N} connections to \S+ waited: their SYN was lost in the node, .+",
        cited_attempts,
    ),
    (rf"All (?P<some>{_N}) SYNs were captured at the outermost vantage point: they left\.", cited_attempts),
    (
        rf"(?P<some>{_N}) of (?P<all>{_N}) SYNs were retransmitted within 100 ms, not after 1 s\.",
        cited_attempts,
    ),
    (rf"(?P<passed>{_N}) SYNs with a lower timestamp were not lost\.", _timestamps),
    (
        rf"(?P<some>{_N}) of (?P<all>{_N}) SYNs were lost whose TCP timestamp .+ was not lost, (?P<higher_lost>{_N}) "
        rf"of (?P<higher>{_N}) with a higher one .+",
        _timestamps,
    ),
)
