"""What sentences take from listings as it stands: each number of theirs is in a line that they cite."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workers.tests.lab.sentences import Check, Problem, Sentence

_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?:/\d+)?(?<=[\d])")


def _in_cited_lines(m: re.Match[str], sentence: Sentence) -> Problem:
    """Numbers and addresses of the part of the sentence that quotes."""
    lines = " ".join(line for cited in sentence.lines().values() for line in cited)
    known = set(_NUMBER.findall(lines)) | set(re.findall(r"\d+", lines))
    missing = {n for n in _NUMBER.findall(m["quoted"]) if n.replace(",", "") not in known}
    return f"{sorted(missing)} is in no cited line" if missing else None


def _listed(m: re.Match[str], sentence: Sentence) -> Problem:
    """As many lines are cited as entries are told of."""
    cited = sum(map(len, sentence.lines().values()))
    return None if cited == int(m["some"].replace(",", "")) else f"{cited} lines are cited"


CHECKS: tuple[tuple[str, Check], ...] = (
    (r"(?P<quoted>net\.[\w.]+ = \d+(?: and net\.[\w.]+ = \d+)?)(?:: .+)?\.?", _in_cited_lines),
    (r"net\.[\w.]+ is (?P<quoted>[\d,]+) s, and that fits\.", _in_cited_lines),
    (r"(?:The host is up: )?ip neigh lists (?P<quoted>\S+) as [A-Z]+: .+", _in_cited_lines),
    (r"A rule of the node drops packets on that path: (?P<quoted>.+)", _in_cited_lines),
    (r"A rule that matches these SYNs drops packets: (?P<quoted>.+)", _in_cited_lines),
    (r"A rule allows the ports (?P<quoted>\d+ to \d+) for [\d.]+\.", _in_cited_lines),
    (r"A rule gives [\d.]+ only the ports (?P<quoted>\d+ to \d+); .+", _in_cited_lines),
    (r"(?P<quoted>[\d.]+):\d+ has weight 0 in the ipvsadm output.*", _in_cited_lines),
    (r"(?P<quoted>[\d.]+):\d+ is an IPVS virtual service\.", _in_cited_lines),
    (r"rp_filter is strict \((?P<quoted>\d)\) on \S+: .+", _in_cited_lines),
    (r"conntrack lists (?P<some>[\d,]+) connections? to it as unreplied\.", _listed),
    (r"conntrack events: (?P<some>[\d,]+) of [\d,]+ clients have a NEW event only for .+", _listed),
)
