"""`tc -s qdisc`: what each queueing discipline of an interface sent and dropped.

qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms ecn
 Sent 123456 bytes 789 pkt (dropped 9, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, LinkCounters
from workers.decode.dumps.fields import numbered

KIND = "tc-qdisc"

_QUEUE = re.compile(
    r"(?:qdisc|class) (?P<kind>[\w-]{2,16}) (?P<handle>[0-9a-f]{1,5}:[0-9a-f]{0,4}) (?:dev (?P<device>\S{1,15}) )?"
    r"(?P<place>root|parent \S{1,12}|ingress)"
)
_SENT = re.compile(
    r"\s{1,4}Sent \d{1,20} bytes (?P<packets>\d{1,20}) pkts? \(dropped (?P<dropped>\d{1,20}), overlimits \d{1,20} "
    r"requeues \d{1,20}\)"
)
_FURTHER = re.compile(
    r"\s{1,4}(?:backlog \d|rate \d|maxpacket|new_flows_len|flows \d|gc \d|throttled|lended|tokens|ctokens|count \d|"
    r"dropping|ecn_mark|drop_next|prob |memory |capacity|min/max|average network|Tin \d|thresh|target|interval|"
    r"pk_delay|av_delay|sp_delay|backlog|pkts|bytes|way_|drops|marks|ack_drop|sp_flows|bk_flows|un_flows|max_len|quantum)"
)


def recognise(head: Sequence[str]) -> float:
    """Sure when a discipline is there."""
    return 1.0 if any(_QUEUE.match(line) for line in head) else 0.5 if any(map(owns_line, head)) else 0.0


def owns_line(line: str) -> bool:
    """A discipline, or what it sent."""
    return bool(line.startswith(("qdisc ", "class ")) and _QUEUE.match(line)) or _SENT.match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """Disciplines follow each other."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """One record for each discipline that shows what it sent; the children of a root count the same packets again."""
    found: list[LinkCounters] = []
    strange: list[int] = []
    queue: re.Match[str] | None = None
    for number, line in numbered(lines, first_line):
        begun, sent = _QUEUE.match(line), _SENT.match(line)
        if begun is not None:
            queue = begun
        elif sent is not None:
            if queue is None or not queue["place"].startswith("parent"):
                found.append(_counters(queue, sent, number))
        elif queue is None or not _FURTHER.match(line):
            strange.append(number)
    return Dump(KIND, len(lines), tuple(strange), link_counters=tuple(found))


def _counters(queue: re.Match[str] | None, sent: re.Match[str], number: int) -> LinkCounters:
    dropped = int(sent["dropped"])
    kind = f"{queue['kind']} {queue['place']}" if queue else "qdisc"
    device = (queue["device"] or "") if queue else ""
    return LinkCounters(number, device, kind, int(sent["packets"]), {"dropped": dropped} if dropped else {})
