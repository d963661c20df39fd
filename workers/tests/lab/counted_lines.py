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


def _rises(sentence: Sentence, pattern: str) -> list[int]:
    """By how much the numbers that the pattern finds in the cited lines differ between two listings of a host."""
    lines = [line for cited in sentence.lines().values() for line in cited]
    found = [int(match[1]) for line in lines for match in re.finditer(pattern, line)]
    return [abs(found[at] - found[at + 1]) for at in range(0, len(found) - 1, 2)]


def _rule_counted(m: re.Match[str], sentence: Sentence) -> Problem:
    """The packets of nft's counter, or of iptables-save in brackets."""
    rises = _rises(sentence, r"packets (\d+)") or _rises(sentence, r"^\[(\d+):")
    return None if _count(m["some"]) in rises else f"the cited lines differ by {rises}"


def _throttled(m: re.Match[str], sentence: Sentence) -> Problem:
    rises = _rises(sentence, r"nr_throttled (\d+)")
    return None if _count(m["some"]) in rises else f"the cited lines differ by {rises}"


def _port_range(m: re.Match[str], sentence: Sentence) -> Problem:
    """Every cited rule has a range of so many ports."""
    lines = [line for cited in sentence.lines().values() for line in cited]
    ranges = [re.search(r"(\d+)-(\d+)\s*$", line) for line in lines]
    sizes = {int(found[2]) - int(found[1]) + 1 for found in ranges if found}
    return None if sizes == {_count(m["some"])} else f"the cited rules have {sorted(sizes)} ports"


def _own_prompt(m: re.Match[str], sentence: Sentence) -> Problem:
    lines = [line for cited in sentence.lines().values() for line in cited]
    return (
        None if lines and all(f"@{m['host']}:" in line for line in lines) else "no cited line is of that host"
    )


def _no_longer_listed(m: re.Match[str], sentence: Sentence) -> Problem:
    """The first cited line has it, and between the last one and the next service no line has."""
    ((name, lines),) = sentence.lines().items()
    last = max(number for part in sentence.evidence for number in part["lines"])
    servers = []
    for line in (sentence.folder / name).read_text().splitlines()[last:]:
        if not line.lstrip().startswith("->"):
            break
        servers.append(line)
    if m["server"] not in lines[0]:
        return "the first cited line is of another server"
    return "it is still listed" if any(m["server"] in line for line in servers) else None


def _connections_left(m: re.Match[str], sentence: Sentence) -> Problem:
    """ActiveConn and InActConn of the first and of the last cited line."""
    ((_, lines),) = sentence.lines().items()
    first, last = (sum(map(int, line.split()[-2:])) for line in (lines[0], lines[-1]))
    return None if (first, last) == (_count(m["first"]), _count(m["last"])) else f"from {first} to {last}"


def _count(text: str) -> int:
    return int(text.replace(",", ""))


CHECKS: tuple[tuple[str, Check], ...] = (
    (r"A DROP rule matches these SYNs: .+; it counted (?P<some>[\d,]+) packets?, .+", _rule_counted),
    (
        r"A rule drops packets of untracked connections: .+; it counted (?P<some>[\d,]+) packets?, .+",
        _rule_counted,
    ),
    (r"cpu\.stat: nr_throttled \+(?P<some>[\d,]+) of [\d,]+ periods between the dumps of \S+\.", _throttled),
    (r"The rule allows (?P<some>[\d,]+) ports, where the kernel would have 64,512\.", _port_range),
    (r"The MASQUERADE rule of \S+ leaves (?P<some>[\d,]+) ports per destination: .+", _port_range),
    (r"The host is up: commands ran on (?P<host>\S+) itself at that time\.", _own_prompt),
    (r"(?P<server>[\d.]+:\d+) is no longer listed\.", _no_longer_listed),
    (
        r"ActiveConn \+ InActConn of the server went from (?P<first>[\d,]+) to (?P<last>[\d,]+) within .+ of "
        r"weight 0\.",
        _connections_left,
    ),
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
