"""HTTP exchanges of a capture, and what sentences say of metadata calls and of slow answers."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from workers.tests.lab.headers import TCP, Header, headers_of
from workers.tests.lab.sentences import count, seconds, told_s

if TYPE_CHECKING:
    from pathlib import Path

    from workers.tests.lab.sentences import Check, Problem, Sentence

_METHODS = (b"GET ", b"PUT ", b"POST", b"HEAD")
_METADATA = re.compile(r"(?:169\.254\.169\.254|169\.254\.170\.(?:2|23)):\d+")
_CREDENTIALS = re.compile(rb"GET (?:/latest/meta-data/iam/security-credentials/.|/v2/credentials)\S* ")
_EXPIRES = re.compile(rb'"Expiration"\s*:\s*"([^"]+)"')
_VALID_LEAST_S = 60
_SLOW_S = 0.5
_EXCESS = 1.05
"""Times that two vantage points in one file measure a request's time apart."""


@dataclass(frozen=True)
class Exchange:
    """A request and its response."""

    asked: Header
    answered: Header

    @property
    def took_s(self) -> float:
        return (self.answered.time_ns - self.asked.time_ns) / 1e9

    @property
    def left_s(self) -> float | None:
        """How long the credentials in it were valid yet."""
        found = _EXPIRES.search(self.answered.payload)
        if found is None:
            return None
        return datetime.fromisoformat(found[1].decode()).timestamp() - self.answered.time_ns / 1e9


@lru_cache(maxsize=8)
def exchanges_of(path: Path) -> tuple[Exchange, ...]:
    """Each request with the next response of its connection, copies on other interfaces left out."""
    known, waiting, found = set(), {}, []
    for header in headers_of(path):
        if header.protocol != TCP or header.payload_bytes <= 0 or header.attempt in known:
            continue
        if header.payload[:4] in _METHODS:
            known.add(header.attempt)
            waiting[header.source] = header
        elif header.payload[:5] == b"HTTP/" and header.target in waiting:
            known.add(header.attempt)
            found.append(Exchange(waiting.pop(header.target), header))
    return tuple(sorted(found, key=lambda each: each.asked.time_ns))


def _address(end: str) -> str:
    return end.rpartition(":")[0]


def _cited(sentence: Sentence) -> tuple[Exchange, ...]:
    return exchanges_of(sentence.folder / sentence.evidence[0]["input"])


def _caller(sentence: Sentence) -> str:
    """Who calls the metadata service in the cited frames."""
    cited = set(sentence.evidence[0]["frames"])
    return next(_address(e.asked.source) for e in _calls(sentence) if e.asked.number in cited)


def _calls(sentence: Sentence, caller: str = "") -> list[Exchange]:
    # Behind a NAT of the node the request may show the agent's address, and the response the service's.
    calls = [e for e in _cited(sentence) if _METADATA.fullmatch(e.answered.source)]
    return [e for e in calls if not caller or _address(e.asked.source) == caller]


def _served(sentence: Sentence, caller: str) -> list[Exchange]:
    return [e for e in _cited(sentence) if _address(e.asked.target) == caller]


def _refreshes(sentence: Sentence) -> list[Exchange]:
    return [e for e in _calls(sentence, _caller(sentence)) if _CREDENTIALS.match(e.asked.payload)]


def _inside(request: Exchange, calls: list[Exchange]) -> list[Exchange]:
    begin, end = request.asked.time_ns, request.answered.time_ns
    return [call for call in calls if begin <= call.asked.time_ns and call.answered.time_ns <= end]


def _burst(m: re.Match[str], sentence: Sentence) -> Problem:
    calls = _calls(sentence, m["caller"])
    if len(calls) != count(m["calls"]):
        return f"{len(calls)} metadata calls were answered"
    if m["left"]:
        return _left(m, sentence)
    if not m["all"]:
        return None
    served = _served(sentence, m["caller"])
    taken = [sum(c.took_s for c in inside) / r.took_s for r in served if (inside := _inside(r, calls))]
    if (len(taken), len(served)) != (count(m["with"]), count(m["all"])):
        return f"{len(taken)} of {len(served)} served requests contained calls"
    share = median(taken) * 100
    return (
        None
        if abs(share - float(m["share"])) <= 0.51 + share * (_EXCESS - 1)
        else f"a share of {share:.1f} %"
    )


def _refreshing(m: re.Match[str], sentence: Sentence) -> Problem:
    served, refreshes = _served(sentence, _caller(sentence)), _refreshes(sentence)
    some = sum(bool(_inside(request, refreshes)) for request in served)
    if (some, len(served)) != (count(m["some"]), count(m["all"])):
        return f"{some} of {len(served)}"
    return None


def _still_valid(m: re.Match[str], sentence: Sentence) -> Problem:
    refreshes = _refreshes(sentence)
    valid = 0
    for before, after in pairwise(refreshes):
        left = before.left_s
        passed = (after.asked.time_ns - before.answered.time_ns) / 1e9
        valid += left is not None and left - passed >= _VALID_LEAST_S
    if (valid, len(refreshes) - 1) != (count(m["some"]), count(m["all"])):
        return f"{valid} of {len(refreshes) - 1} repeats"
    return None


def _rate(m: re.Match[str], sentence: Sentence) -> Problem:
    refreshes = _refreshes(sentence)
    span = (refreshes[-1].asked.time_ns - refreshes[0].asked.time_ns) / 1e9
    rate = len(refreshes) * 60 / max(span, 1.0)
    if abs(span - seconds(m["span"])) > told_s(m["span"]) + 0.3:
        return f"the refreshes span {span:.2f} s"
    told = float(m["rate"].replace(",", ""))
    return None if abs(rate - told) <= 0.06 + told * 0.03 else f"{rate:.1f} a minute"


def _one_connection(m: re.Match[str], sentence: Sentence) -> Problem:
    by_client: dict[str, int] = defaultdict(int)
    for each in _refreshes(sentence):
        by_client[each.asked.source] += 1
    most = max(by_client.values(), default=0)
    return None if most == count(m["some"]) else f"at most {most} refreshes used one connection"


def _left(m: re.Match[str], sentence: Sentence) -> Problem:
    left = [each.left_s for each in _calls(sentence, m.groupdict().get("caller") or _caller(sentence))]
    known = [each for each in left if each is not None]
    off = abs(median(known) - count(m["left"])) if known else float("inf")
    return None if off <= 1.0 else f"the cited responses had {median(known) if known else 'no'} s left"


def _median_request(m: re.Match[str], sentence: Sentence) -> Problem:
    calls = _calls(sentence, caller := _caller(sentence))
    moment = m["moment"].replace("Z", "")
    whole = datetime.fromisoformat(moment[:19] + "+00:00").timestamp()
    at_ns = int(whole) * 1_000_000_000 + int(moment.partition(".")[2])
    request = next((r for r in _served(sentence, caller) if r.asked.time_ns == at_ns), None)
    if request is None:
        return "no served request began at that time"
    inside = _inside(request, calls)
    took = sum(call.took_s for call in inside)
    if len(inside) != count(m["calls"]):
        return f"{len(inside)} calls are inside"
    for told, measured in ((m["took"], took), (m["all"], request.took_s)):
        if abs(seconds(told) - measured) > told_s(told):
            return f"{measured:.5f} s, not {told}"
    return None


def _slow(m: re.Match[str], sentence: Sentence) -> Problem:
    """Of the requests to that server of this method and path: how many are slow, and the medians of both sorts."""
    asked = [
        each for each in _cited(sentence)
        if each.asked.target == m["server"] and each.asked.payload.startswith(f"{m['method']} {m['path']}".encode())
    ]  # fmt: skip
    cited = set(sentence.evidence[0]["frames"])
    slow = [each.took_s for each in asked if each.asked.number in cited]
    rest = [each.took_s for each in asked if each.asked.number not in cited]
    if (len(slow), len(asked)) != (count(m["some"]), count(m["all"])):
        return f"{len(slow)} of {len(asked)} are cited"
    if min(slow) <= max(rest):
        return f"a cited one took {min(slow):.3f} s, another one {max(rest):.3f} s"
    usual = _percentile(sorted(slow + rest), int(m["nth"]))
    for told, took in ((m["took"], median(slow)), (m["usual"], usual)):
        if abs(took - seconds(told)) > told_s(told) + 0.02 * took:
            return f"{took:.4f} s, not {told}"
    return None


def _percentile(ordered: list[float], nth: int) -> float:
    """Between two values in proportion."""
    rank, part = divmod((len(ordered) - 1) * nth, 100)
    following = ordered[min(rank + 1, len(ordered) - 1)]
    return ordered[rank] + (following - ordered[rank]) * part / 100


def _slowest(m: re.Match[str], sentence: Sentence) -> Problem:
    """The first cited frame is the request; the ACK and the response follow it."""
    cited = set(sentence.evidence[0]["frames"])
    worst = max((e for e in _cited(sentence) if e.asked.number in cited), key=lambda e: e.took_s)
    if abs(worst.took_s - seconds(m["answered"])) > told_s(m["answered"]):
        return f"it was answered after {worst.took_s:.4f} s"
    return _acknowledged(worst, m["acknowledged"], sentence)


def _acknowledged(exchange: Exchange, told: str, sentence: Sentence) -> Problem:
    waited = acknowledged_s(exchange, sentence.folder / sentence.evidence[0]["input"])
    limit = seconds(told.removeprefix("less than ")) + told_s(told.removeprefix("less than "))
    return None if waited is not None and waited <= limit else f"it was acknowledged after {waited} s"


def acknowledged_s(exchange: Exchange, path: Path) -> float | None:
    """From the request to the first segment that acknowledges it."""
    end = (exchange.asked.seq + exchange.asked.payload_bytes) & 0xFFFFFFFF
    back = exchange.asked.target, exchange.asked.source
    for header in headers_of(path)[exchange.asked.number - 1 :]:
        if (header.source, header.target) == back and (header.ack - end) & 0xFFFFFFFF < 1 << 31:
            return (header.time_ns - exchange.asked.time_ns) / 1e9
    return None


def _late_acknowledged(m: re.Match[str], sentence: Sentence) -> Problem:
    path = sentence.folder / sentence.evidence[0]["input"]
    cited = set(sentence.evidence[0]["frames"])
    late = [each for each in _cited(sentence) if each.asked.number in cited]
    waits = [wait for each in late if (wait := acknowledged_s(each, path)) is not None]
    if not sentence.cut and len(late) > count(m["some"]):
        return f"{len(late)} requests are cited"
    text = m["wait"].removeprefix("less than ")
    limit = seconds(text) + told_s(text)
    return None if waits and median(waits) <= limit else f"a median of {median(waits) if waits else None} s"


def _slow_clients(m: re.Match[str], sentence: Sentence) -> Problem:
    cited = set(sentence.evidence[0]["frames"])
    late = {each.asked.payload for each in _cited(sentence) if each.asked.number in cited}
    places: dict[tuple[str, int], set[str]] = defaultdict(set)
    for name in sentence.captures():
        for header in headers_of(sentence.folder / name):
            if header.payload and header.payload in late:
                places[name, header.interface].add(_address(header.source))
    clients = max(places.values(), key=len)
    return None if len(clients) == count(m["some"]) else f"they are {sorted(clients)}"


_N = r"[\d,]+"
_T = r"[\d,.]+ (?:s|ms|µs)"

CHECKS: tuple[tuple[str, Check], ...] = (
    (
        rf"(?P<calls>{_N}) metadata calls? by (?P<caller>[\d.]+)(?:; (?P<with>{_N}) of (?P<all>{_N}) served requests? "
        rf"contained calls, which took (?P<share>[\d.]+) % of the request time \(median\)\.|"
        r"; no served .+?\.|, none .+?\.)"
        rf"(?: Credentials had (?P<left>{_N}) s left when they were returned\.)?",
        _burst,
    ),
    (rf"(?P<some>{_N}) of (?P<all>{_N}) served requests? contained a credential refresh .+", _refreshing),
    (rf"(?P<some>{_N}) of (?P<all>{_N}) repeats? came while the previous credentials .+", _still_valid),
    (rf"(?P<rate>[\d,.]+) refreshes a minute over (?P<span>{_T}), where caching needs .+", _rate),
    (rf"(?P<some>{_N}) refreshes used one connection\.", _one_connection),
    (rf"They were returned with (?P<left>{_N}) s left; .+", _left),
    (
        rf"A median request \((?P<moment>\S+)\): (?P<calls>{_N}) metadata calls? took (?P<took>{_T}) of its "
        rf"(?P<all>{_T})\.",
        _median_request,
    ),
    (
        rf"(?P<some>{_N}) of (?P<all>{_N}) responses? from (?P<server>\S+) to (?P<method>[A-Z]+) (?P<path>\S+) took a "
        rf"median of (?P<took>{_T}); the baseline is (?P<usual>{_T}) \((?P<nth>\d+)th percentile\)\..*",
        _slow,
    ),
    (
        rf"The slowest: acknowledged after (?P<acknowledged>.*{_T}), answered after (?P<answered>{_T})\.",
        _slowest,
    ),
    (
        rf"(?P<some>{_N}) late requests had been acknowledged after (?P<wait>.*{_T}) \(median\); .+",
        _late_acknowledged,
    ),
    (rf"(?P<some>{_N}) clients got slow responses\.", _slow_clients),
    (
        rf"(?P<some>{_N}) requests were answered slowly although the kernel had acknowledged them\.",
        lambda m, s: None,
    ),
)
