"""What sentences say, counted again from the frames and lines that they cite: one function for each template."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from scapy.layers.dns import DNS

from workers.tests.lab import (
    counted_attempts,
    counted_data,
    counted_errors,
    counted_lines,
    counted_lookups,
    counted_requests,
    counted_stalls,
    counted_tuples,
)
from workers.tests.lab.independent import ACK, RST, SYN, Frame, frames_of
from workers.tests.lab.sentences import count, seconds, told_s

if TYPE_CHECKING:
    from workers.tests.lab.sentences import Check, Problem, Sentence

TWO_CLOCKS_S = 0.003
"""Two files of one incident: their interfaces see a packet this far apart at most."""
_NUMBER = r"[\d,]+"
_TIME = r"[\d,.]+ (?:s|ms|µs)"
_SHOWN_GAPS = 7
SYN_LONGEST_BYTES = 160
"""With tunnels around it."""


def _syns(sentence: Sentence) -> list[tuple[str, Frame]]:
    return [(name, frame) for name, frame in sentence.frames() if frame.is_syn]


def _first_syn(m: re.Match[str], sentence: Sentence) -> Problem:
    syns = _syns(sentence)
    if len(syns) != len(sentence.frames()):
        return "not all cited frames are SYNs"
    if len({frame.tcp.seq for _, frame in syns if frame.tcp}) != 1:
        return "the cited SYNs are not of one attempt"
    if not any(frame.ends == (m["client"], m["server"]) for _, frame in syns):
        return f"no cited SYN goes from {m['client']} to {m['server']}"
    return None


def _story_start(sentence: Sentence) -> dict[str, float]:
    """By input, when the attempt of the story began: it is the first that cites packets."""
    first, before = sentence, sentence.before
    while before is not None:
        first, before = (before if before.frames() else first), before.before
    starts: dict[str, float] = {}
    for name, frame in first.frames():
        starts[name] = min(frame.time_ns / 1e9, starts.get(name, float("inf")))
    return starts


def _waits(sentence: Sentence, frames: list[tuple[str, Frame]]) -> list[float]:
    """From the story's first SYN to each frame, by one file's clock where that file holds both."""
    starts = _story_start(sentence)
    return sorted(frame.time_ns / 1e9 - starts.get(name, min(starts.values())) for name, frame in frames)


def _sent_again(m: re.Match[str], sentence: Sentence) -> Problem:
    waits = _waits(sentence, _syns(sentence))
    told = [each.strip() for each in re.findall(_TIME, m["times"])]
    for each in told:
        if not any(abs(wait - seconds(each)) <= told_s(each) + TWO_CLOCKS_S for wait in waits):
            return f"no SYN {each} after the first"
    by_file: dict[str, set[int]] = defaultdict(set)
    for name, frame in _syns(sentence):
        by_file[name].add(int(frame.packet["IP"].id) if frame.packet.haslayer("IP") else frame.time_ns)
    most = max(map(len, by_file.values()), default=0)
    if min(most, _SHOWN_GAPS) > len(told):
        return f"{most} SYNs are cited, {len(told)} are told of"
    return None


def _opened(m: re.Match[str], sentence: Sentence) -> Problem:
    answers = [(name, frame) for name, frame in sentence.frames() if frame.is_tcp(SYN | ACK)]
    if len(answers) != len(sentence.frames()):
        return "not all cited frames are SYN-ACKs"
    waits = _waits(sentence, answers)
    if not any(abs(wait - seconds(m["wait"])) <= told_s(m["wait"]) + TWO_CLOCKS_S for wait in waits):
        return f"no SYN-ACK {m['wait']} after the first SYN, but after {[round(w, 4) for w in waits]}"
    if _holds_acknowledgements(sentence) and not any(_acknowledged(sentence, f) for _, f in answers):
        return "no client acknowledged it: nothing was opened"
    return None


def _holds_acknowledgements(sentence: Sentence) -> bool:
    return any(
        frames_of(sentence.folder / name)[n].is_tcp(ACK, SYN | RST)
        for name in sentence.captures()
        for n in range(1, min(len(frames_of(sentence.folder / name)), 50) + 1)
    )


def _acknowledged(sentence: Sentence, answer: Frame) -> bool:
    """Whether the client's end of this SYN-ACK sent anything after it."""
    back = (answer.ends[1], answer.ends[0])
    for name in sentence.captures():
        for frame in frames_of(sentence.folder / name).holding(_port(back[0])):
            if frame.ends == back and frame.time_ns >= answer.time_ns and frame.is_tcp(ACK, SYN):
                return True
    return False


def _port(end: str) -> bytes:
    return int(end.rpartition(":")[2]).to_bytes(2, "big")


def _attempts(m: re.Match[str], sentence: Sentence) -> Problem:
    """``4 of 140 connection attempts to X``: ISNs of the SYNs cited, and of all SYNs to X."""
    if sentence.cut:
        return None
    again = {frame.tcp.seq for _, frame in _syns(sentence) if frame.tcp}
    if len(again) != count(m["some"]):
        return f"{len(again)} attempts are cited"
    asked = set()
    for name in sentence.captures():
        for frame in frames_of(sentence.folder / name).holding(_port(m["target"]), SYN_LONGEST_BYTES):
            if frame.is_syn and frame.ends[1] == m["target"] and frame.tcp:
                asked.add((frame.ends[0].rpartition(":")[2], frame.tcp.seq))
    isns = {seq for _, seq in asked}
    if len(isns) != count(m["all"]):
        return f"{len(isns)} attempts went to {m['target']}"
    return None


def _waited_segments(m: re.Match[str], sentence: Sentence) -> Problem:
    """Each event of the finding is a segment, its frame again and the frame before the wait."""
    finding = sentence.about
    events = finding.get("events", [])
    if "events" not in finding or finding["count"] != len(events):
        return None
    if len(events) != count(m["some"]):
        return f"{len(events)} events"
    waited, connections = 0.0, set()
    for event in events:
        frames = frames_of(sentence.folder / event["input"])
        again, before = (frames[number] for number in event["frames"])
        waited += (again.time_ns - before.time_ns) / 1e9
        connections.add(frozenset(again.ends))
        if not again.payload_bytes:
            return f"frame {again.number} of {event['input']} holds no data"
        if frozenset(before.ends) != frozenset(again.ends):
            return f"frames {before.number} and {again.number} are of two connections"
    if abs(waited - seconds(m["wait"])) > told_s(m["wait"]) + TWO_CLOCKS_S:
        return f"the cited frames are {waited:.3f} s apart in all"
    if len(connections) > count(m["touched"]):
        return f"the segments are of {len(connections)} connections"
    return None


def _cited_syns(m: re.Match[str], sentence: Sentence) -> Problem:
    """As many SYNs are cited as are told of: told apart by ISN and time."""
    if sentence.cut:
        return None
    cited = {
        (frame.tcp.seq, int(frame.packet.id))
        for _, frame in _syns(sentence)
        if frame.tcp is not None and frame.packet.haslayer("IP")
    }
    if len(cited) != count(m["some"]):
        return f"{len(cited)} different SYNs are cited"
    return None


def _silent_attempts(m: re.Match[str], sentence: Sentence) -> Problem:
    """``14 SYNs over up to 4.1 s each`` and ``14 attempts from 2 source addresses``: of the SYNs cited."""
    if sentence.cut:
        return None
    seen: dict[tuple[str, int], list[float]] = defaultdict(list)
    ids, sources = set(), set()
    for name, frame in _syns(sentence):
        if frame.tcp is not None and frame.packet.haslayer("IP"):
            seen[name, frame.tcp.seq].append(frame.time_ns / 1e9)
            ids.add((frame.tcp.seq, int(frame.packet.id)))
            sources.add(frame.ends[0].rpartition(":")[0])
    told, isns = m.groupdict(), {isn for _, isn in seen}
    if "syns" in told and len(ids) != count(m["syns"]):
        return f"{len(ids)} different SYNs are cited"
    if "attempts" in told and len(isns) != count(m["attempts"]):
        return f"SYNs of {len(isns)} attempts are cited"
    # The same client has several addresses where some vantage points are behind its NAT.
    if "sources" in told and len(sources) < count(m["sources"]):
        return f"they came from {len(sources)} addresses"
    longest = max((times[-1] - times[0] for times in map(sorted, seen.values())), default=0.0)
    if "span" in told and abs(longest - seconds(m["span"])) > told_s(m["span"]) + TWO_CLOCKS_S:
        return f"the SYNs of one attempt are {longest:.3f} s apart at most"
    return None


def _syn_of(m: re.Match[str], sentence: Sentence) -> Problem:
    found = any(frame.ends[0] == m["client"] for _, frame in _syns(sentence))
    return None if found else f"no cited SYN is of {m['client']}"


def _two_syns(m: re.Match[str], sentence: Sentence) -> Problem:
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    for name, frame in _syns(sentence):
        times[name, frame.ends[0]].append(frame.time_ns / 1e9)
    for (name, client), sent in times.items():
        others = times.get((name, m["other"]), []) if client == m["one"] else []
        gaps = [abs(a - b) for a in sent for b in others]
        if any(abs(gap - seconds(m["apart"])) <= told_s(m["apart"]) for gap in gaps):
            return None
    return f"no SYNs of {m['one']} and {m['other']} are {m['apart']} apart"


def _large_segments(m: re.Match[str], sentence: Sentence) -> Problem:
    """Every cited segment has that size at least, and they are of so many connections."""
    segments = [frame for _, frame in sentence.frames() if frame.tcp is not None and frame.payload_bytes]
    if any(frame.payload_bytes < count(m["bytes"]) for frame in segments):
        return f"segments of {min(frame.payload_bytes for frame in segments)} bytes are cited"
    connections = {frozenset(frame.ends) for frame in segments}
    if not sentence.cut and len(connections) != count(m["some"]):
        return f"the segments are of {len(connections)} connections"
    return None


def _cited_answers(m: re.Match[str], sentence: Sentence) -> Problem:
    frames = sentence.frames()
    return None if all(f.is_tcp(SYN | ACK) for _, f in frames) else "not all cited frames are SYN-ACKs"


def _resets(m: re.Match[str], sentence: Sentence) -> Problem:
    resets = [(name, frame) for name, frame in sentence.frames() if frame.is_tcp(RST)]
    by_file: dict[str, set[frozenset[str]]] = defaultdict(set)
    for name, frame in resets:
        by_file[name].add(frozenset(frame.ends))
    if not resets:
        return "no RST is cited"
    most, everything = max(map(len, by_file.values())), sum(map(len, by_file.values()))
    if not sentence.cut and not count(m["some"]) <= everything:
        return f"the cited RSTs are of at most {everything} connections"
    return None if most else "no connection is cited"


def _two_queries(m: re.Match[str], sentence: Sentence) -> Problem:
    by_file: dict[str, list[Frame]] = defaultdict(list)
    for name, frame in sentence.frames():
        if frame.is_query:
            by_file[name].append(frame)
    told = seconds(m["apart"])
    for frames in by_file.values():
        for one in frames:
            for other in frames:
                gap = (other.time_ns - one.time_ns) / 1e9
                if one.ends == other.ends and abs(gap - told) <= told_s(m["apart"]):
                    return None
    return f"no two queries of one socket are {m['apart']} apart"


def _asked_again(m: re.Match[str], sentence: Sentence) -> Problem:
    queries = [(name, frame) for name, frame in sentence.frames() if frame.is_query]
    for name, one in queries:
        for place, other in queries:
            gap = (other.time_ns - one.time_ns) / 1e9
            same = name == place and _asked(one) == _asked(other)
            if same and abs(gap - seconds(m["wait"])) <= told_s(m["wait"]) + TWO_CLOCKS_S:
                return None
    return f"no question is repeated after {m['wait']}"


def _asked(frame: Frame) -> object:
    dns = frame.packet.getlayer(DNS)
    question = dns.qd[0] if dns is not None and dns.qd else None
    return (question.qname, question.qtype) if question is not None else None


def _answered_after(m: re.Match[str], sentence: Sentence) -> Problem:
    by_file: dict[str, list[Frame]] = defaultdict(list)
    for name, frame in sentence.frames():
        by_file[name].append(frame)
    for frames in by_file.values():
        first = min((f.time_ns for f in frames if f.is_query), default=None)
        answers = [f.time_ns for f in frames if f.packet.haslayer(DNS) and not f.is_query]
        if first is not None and any(
            abs((t - first) / 1e9 - seconds(m["wait"])) <= told_s(m["wait"]) + TWO_CLOCKS_S for t in answers
        ):
            return None
    return f"no answer {m['wait']} after the first query"


def _counters(m: re.Match[str], sentence: Sentence) -> Problem:
    """Each ``name +n`` or ``name rose by n``: the rise between the lines cited."""
    if len(sentence.lines()) != 2:
        return None  # a series in one file, or several hosts
    told = re.findall(r"(\w+) (?:\+|rose by )([\d,]+)", sentence.text)
    for name, by in told:
        values = sorted(
            sum(int(v) for line in lines for v in re.findall(rf"\b{re.escape(name)}(?:=|\s+)(\d+)", line))
            for lines in sentence.lines().values()
            if any(re.search(rf"\b{re.escape(name)}\b", line) for line in lines)
        )
        if len(values) < 2 or values[-1] - values[0] != count(by):
            return f"{name}: {values} in the cited lines"
    return None if told else "no counter is told"


def _in_use(m: re.Match[str], sentence: Sentence) -> Problem:
    found = {
        int(n) for lines in sentence.lines().values() for line in lines for n in re.findall(r"\d+", line)
    }
    missing = {count(m["used"]), count(m["limit"])} - found
    return f"{sorted(missing)} is in no cited line" if missing else None


def _logged(m: re.Match[str], sentence: Sentence) -> Problem:
    total = sum(map(len, sentence.lines().values()))
    return None if total == count(m["some"]) else f"{total} lines are cited"


CHECKS: tuple[tuple[str, Check], ...] = (
    (r"(?P<client>\S+) sent its SYN to (?P<server>\S+); captured on .+\.", _first_syn),
    (
        rf"It (?:retransmitted the SYN|was retransmitted) after (?P<times>{_TIME}(?:, {_TIME})*)(?:, and passed)?\.",
        _sent_again,
    ),
    (rf"The SYN-ACK that opened the connection came after (?P<wait>{_TIME})\.", _opened),
    (
        rf"(?P<some>{_NUMBER}) of (?P<all>{_NUMBER}) connection attempts? to (?P<target>\S+) had SYN retransmissions.*",
        _attempts,
    ),
    (
        rf"(?P<some>{_NUMBER}) segments? in (?P<touched>{_NUMBER}) of {_NUMBER} connections? to \S+ waited "
        rf"(?P<wait>{_TIME}) in total for retransmission timeouts \(RTO\)\..*",
        _waited_segments,
    ),
    (rf"(?P<some>{_NUMBER}) SYNs? seen on .+, absent on .+; no other SYN .+", _cited_syns),
    (rf"(?P<some>{_NUMBER}) of {_NUMBER} lost SYNs were lost inside .+", _cited_syns),
    (rf"(?P<some>{_NUMBER}) of {_NUMBER} SYNs were captured as far out as .+", _cited_syns),
    (rf"(?P<some>{_NUMBER}) of {_NUMBER} lost packets were last seen on .+", _cited_syns),
    (
        rf"The SYN-ACK was seen on .+, absent on .+: {_NUMBER} of {_NUMBER} retransmitted SYNs\.",
        _cited_answers,
    ),
    (rf"(?P<some>{_NUMBER}) connections? to \S+: (?:refused|reset by).*\.", _resets),
    (rf"\S+ sent two queries for \S+ from one socket, (?P<apart>{_TIME}) apart: .+", _two_queries),
    (rf"It retried after (?P<wait>{_TIME}), .+", _asked_again),
    (rf"The response came (?P<wait>{_TIME}) after the first query\.", _answered_after),
    (rf"(?P<syns>{_NUMBER}) SYNs? over up to (?P<span>{_TIME}) each stayed unanswered\.", _silent_attempts),
    (
        rf"(?P<syns>{_NUMBER}) SYNs? in (?P<attempts>{_NUMBER}) attempts?, not one answered\.",
        _silent_attempts,
    ),
    (
        rf"(?P<attempts>{_NUMBER}) attempts? from (?P<sources>{_NUMBER}) source addresse?s?, none answered\.",
        _silent_attempts,
    ),
    (r"The SYN of (?P<client>\S+) was captured at .+ and is absent at .+", _syn_of),
    (r"(?P<one>\S+) and (?P<other>\S+) sent their SYNs to \S+ (?P<apart>[\d,.]+ \S+) apart\.", _two_syns),
    (
        rf"In (?P<some>{_NUMBER}) connections? (?:from \S+ to \S+ )?segments of (?P<bytes>{_NUMBER}) bytes or more "
        "were retransmitted .+",
        _large_segments,
    ),
    (rf"(?:\w+ \+{_NUMBER},? ?)+ ?between the (?:dumps|listings).*", _counters),
    (rf"{_NUMBER} SYNs .+, insert_failed \+{_NUMBER}, drop \+{_NUMBER} between the dumps: all .+", _counters),
    (rf"\w+ rose by {_NUMBER} between the (?:dumps|listings).*", _counters),
    (rf"(?P<used>{_NUMBER}) of (?P<limit>{_NUMBER}) .*entries in use .*", _in_use),
    (rf"The kernel logged (?P<some>{_NUMBER}) times?: .+", _logged),
)
"""Template -> the second count."""


EVERY: tuple[tuple[str, Check], ...] = (
    *CHECKS,
    *counted_attempts.CHECKS,
    *counted_errors.CHECKS,
    *counted_lookups.CHECKS,
    *counted_lines.CHECKS,
    *counted_requests.CHECKS,
    *counted_stalls.CHECKS,
    *counted_data.CHECKS,
    *counted_tuples.CHECKS,
)


def template_of(text: str) -> tuple[re.Match[str], Check] | None:
    """The first template that a sentence fits, and its second count."""
    for pattern, check in EVERY:
        match = re.fullmatch(pattern, text, re.DOTALL)
        if match:
            return match, check
    return None


def problem_of(sentence: Sentence) -> tuple[bool, Problem]:
    """(whether a template fits, what is wrong)."""
    found = template_of(sentence.text)
    return (False, None) if found is None else (True, found[1](found[0], sentence))
