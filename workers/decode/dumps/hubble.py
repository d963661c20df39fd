"""`hubble observe`: flows as lines, and as JSON (`-o json`, `-o jsonpb`).

Nov 21 01:11:43.487: default/a:40000 (ID:123) -> default/b:80 (ID:45) Policy denied DROPPED (TCP Flags: SYN)
{"flow":{"time":"2026-11-21T01:11:43.487Z","verdict":"DROPPED","drop_reason_desc":"POLICY_DENIED","IP":{"source":"10.0.0.1"}}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from backend.forensics.dumps import DropEvent, Dump
from workers.decode.dumps.fields import canonical_address, numbered
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.stated_times import stated_time_ns

KIND = "drops"

_LINE = re.compile(
    r"(?:(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d\.\d{3}|\d{4}-\d\d-\d\dT[\d:.]{8,18}Z?):? (?:\[\S{1,120}\]:? )?)"
    r"(?P<source>\S{1,255})(?: \([^)]{1,80}\))? (?P<arrow>->|<-|<>) (?P<destination>\S{1,255})(?: \([^)]{1,80}\))? "
    r"(?P<what>.{1,160}?) (?P<verdict>FORWARDED|DROPPED|DENIED|AUDIT(?:ED)?|REDIRECTED|"
    r"ERROR|TRACED|TRANSLATED|ALLOWED)(?: \((?P<more>.{1,200})\))?\s*$"
)
_JSON = re.compile(r"\s{0,4}\{\s?\"(?:flow|time|verdict|node_name)\"\s?:")
_GREPPED = re.compile(r"[^\s{\"]{1,200}?:(?:\d{1,9}:)?(?=\{\")")
_LOST = re.compile(r"EVENTS? LOST|.{0,80}\bLOST EVENTS\b")


def recognise(head: Sequence[str]) -> float:
    """The share of flows."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """One flow a line."""
    bare = _bare(line)
    if bare[:1] == "{":
        return _JSON.match(bare) is not None and '"verdict"' in line
    return _LINE.match(line) is not None or _LOST.match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """Flows in a row are one listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The flows; those that were forwarded, too: they show who reached whom."""
    drops: list[DropEvent] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        bare = _bare(line)
        event = _of_json(bare, number) if bare[:1] == "{" else _of_line(line, number)
        if event is not None:
            drops.append(event)
        elif not _LOST.match(line):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), drops=tuple(drops))


def _bare(line: str) -> str:
    """Without the file's name that grep puts before a match."""
    begun = _GREPPED.match(line)
    return line[begun.end() :] if begun else line.lstrip()


def _of_line(line: str, number: int) -> DropEvent | None:
    found = _LINE.match(line)
    if found is None:
        return None
    ends = [_end(found[side]) for side in ("source", "destination")]
    if found["arrow"] == "<-":
        ends.reverse()
    dropped, audited = found["verdict"] in ("DROPPED", "DENIED", "ERROR"), found["verdict"][:5] == "AUDIT"
    protocol = (found["more"] or "").split(" ")[0].lower()
    time_ns = stated_time_ns(found["time"]) if found["time"][:1].isdigit() else None
    return DropEvent(
        number, "hubble", found["what"] if dropped or audited else "", found["what"], 1, time_ns, protocol,
        ends[0][0], ends[0][1], ends[1][0], ends[1][1], dropped,
    )  # fmt: skip


def _end(text: str) -> tuple[str, int | None]:
    host, colon, port = text.rpartition(":")
    if colon and port.isdigit() and len(port) <= 5:
        return host, int(port) & 0xFFFF
    return text, None


def _of_json(line: str, number: int) -> DropEvent | None:
    try:
        flow = json.loads(line)
    except (ValueError, RecursionError):
        return None
    flow = flow.get("flow", flow) if isinstance(flow, dict) else None
    if not isinstance(flow, dict) or not isinstance(flow.get("verdict"), str):
        return None
    dropped = flow["verdict"] in ("DROPPED", "ERROR")
    protocol, source_port, destination_port = _transport(flow.get("l4"))
    source, destination = (_address(flow.get("IP"), side) for side in ("source", "destination"))
    reason = str(flow.get("drop_reason_desc") or "") if dropped else ""
    if flow["verdict"] == "AUDIT":
        reason = str(flow.get("traffic_direction") or "policy")[:40]
    time = flow.get("time")
    return DropEvent(
        number, "hubble", reason, str(flow.get("node_name") or "")[:255], 1,
        stated_time_ns(time) if isinstance(time, str) else None, protocol, source, source_port, destination,
        destination_port, dropped,
    )  # fmt: skip


def _address(part: Any, side: str) -> str:
    text = part.get(side) if isinstance(part, dict) else None
    return canonical_address(text) or "" if isinstance(text, str) else ""


def _transport(part: Any) -> tuple[str, int | None, int | None]:
    for name in ("TCP", "UDP", "SCTP", "ICMPv4", "ICMPv6"):
        fields = part.get(name) if isinstance(part, dict) else None
        if isinstance(fields, dict):
            return name.lower(), _port(fields.get("source_port")), _port(fields.get("destination_port"))
    return "", None, None


def _port(value: Any) -> int | None:
    return value if isinstance(value, int) and 0 <= value <= 65_535 else None
