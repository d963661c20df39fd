"""Tracers of dropped packets: `perf` on skb:kfree_skb, pwru, dropwatch, bpftrace counts, Inspektor Gadget, Cilium monitor.

curl  1234 [001] 12345.678901: skb:kfree_skb: skbaddr=0xffff888 protocol=2048 location=nf_hook_slow+0xf4 reason: NETFILTER_DROP
0xffff888103b5e500 1 curl:1234 4026531840 0 eth0:2 0x0800 1500 60 10.0.0.1:40000->10.0.0.2:80(tcp) kfree_skb_reason(SKB_DROP_REASON_NO_SOCKET)
3 drops at nf_hook_slow+f4 (0xffffffff8170fbb0) [software]
@[NETFILTER_DROP, nf_hook_slow]: 12
xx drop (Policy denied) flow 0x0 to endpoint 0, ifindex 4, identity 5->2: 10.0.0.1:40000 -> 10.0.0.2:80 tcp SYN

Names of reasons are the kernel's (include/net/dropreason-core.h); numbers differ by version, so only names are kept.
"""  # noqa: E501 - as printed

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from backend.forensics.dumps import DropEvent, Dump
from workers.decode.dumps.fields import canonical_address, numbered

KIND = "drops"

_END: Final = r"\[?[0-9a-fA-F.:]{3,45}?\]?"
_TUPLE = re.compile(
    rf"(?P<source>{_END}):(?P<sport>\d{{1,5}}) ?-> ?(?P<destination>{_END}):"
    rf"(?P<dport>\d{{1,5}})(?:\((?P<protocol>\w{{2,8}})\)| (?P<word>tcp|udp|icmp)\b)?"
)
_KFREE = re.compile(r".{0,160}\b(?:skb:)?kfree_skb(?:_reason)?[:(] ?\(?.{0,200}\b(?:skbaddr|location)[=:]")
_LOCATION = re.compile(r"location[=:] ?(?P<place>[^\s,)]{1,120})")
_REASON = re.compile(r"reason[=:] ?(?:\d{1,3} \()?(?:SKB_DROP_REASON_)?(?P<reason>[A-Z][A-Z0-9_]{2,60})")
_PROCESS = re.compile(
    r"\s{0,24}(?:[\d.]{1,20}\s(?:\([^)]{0,24}\))?:?\s{0,4})?(?P<name>[\w<>.:/-]{1,32})[-\s/]{1,12}\d{1,9}\b"
)
_STACK = re.compile(
    r"\s{2,40}(?:[0-9a-f]{8,16} )?(?P<name>[\w.]{2,120})(?:\+0x[0-9a-f]{1,8}|"
    r"\+\d{1,8}|\+0x[0-9a-f]+/0x[0-9a-f]+)?(?: \(\[?[^)]{1,60}\]?\))?\s*$"
)
_PWRU = re.compile(r"0x[0-9a-f]{8,16}\s{1,20}\S")
_PWRU_TITLE = re.compile(r"\s{0,16}SKB\s+(?:CPU|PROCESS)\b.{0,200}\b(?:FUNC|FUNCTION)")
_PWRU_CALL = re.compile(
    r"(?P<name>[a-z_][\w.]{2,80})(?:\((?:SKB_DROP_REASON_)?(?P<reason>[A-Z][A-Z0-9_]{2,60})\))?(?=\s|$)"
)
_DROPS_AT = re.compile(
    r"(?P<count>\d{1,12}) drops? at (?P<place>[\w.]{2,120})"
    r"(?:\+0?x?[0-9a-f]{1,8})?(?: \(0x[0-9a-f]{4,16}\))?(?: \[\w{1,10}\])?\s*$"
)
_DROP_AT = re.compile(r"drop at: (?P<place>[\w.]{2,120})")
_FIELD = re.compile(
    r"(?:origin|input port ifindex|timestamp|protocol|length|original length|drop reason|hw .{1,20}): "
)
_DROP_REASON = re.compile(r"drop reason: (?P<reason>[A-Z0-9_]{3,60})")
_DROPWATCH = re.compile(
    r"(?:Initializing \S{1,20} lookup method|dropwatch> |"
    r"Kernel monitoring activated|Issue Ctrl-C to stop|Enabling monitoring|Waiting for activation|"
    r"Deactivation requested|Got a stop message)"
)
_COUNT = re.compile(r"@(?P<map>\w{0,40})\[(?P<keys>[^\]]{1,400})\]: (?P<count>\d{1,15})\s*$")
_OPEN = re.compile(r"@(?P<map>\w{0,40})\[\s*$")
_CLOSE = re.compile(r"(?:, (?P<keys>[^\]]{1,200}))?\]: (?P<count>\d{1,15})\s*$")
_ATTACHING = re.compile(r"Attaching \d{1,5} probes?\.{3}")
_GADGET_TITLE = re.compile(r"(?:[\w.]{2,40}\s{1,60}){2,16}REASON\s*$|(?:[\w.]{2,40}\s{1,60}){1,16}DROPREASON")
_GADGET_END = re.compile(
    r"(?P<address>[\d.]{7,15}|\[[0-9a-f:]{2,45}\]|(?:[psr]/)?[\w./-]{1,120}):(?P<port>\d{1,5})(?=\s)"
)
_GADGET_REASON = re.compile(r"(?:SKB_DROP_REASON_)?(?P<reason>[A-Z][A-Z0-9_]{4,60})\s*$")
_CILIUM = re.compile(
    r"(?P<what>xx drop|->|Policy verdict log:|<-) ?(?:\("
    r"(?P<reason>[^)]{1,80})\) )?(?:(?:endpoint \d{1,6}|stack|network|overlay|"
    r"proxy|host|cilium_\w{1,12}|flow|to) ?){1,4}.{0,220}$"
)
_CILIUM_PLACE = re.compile(r"file (?P<file>[\w./-]{1,60}:\d{1,6})")
_CILIUM_FIRST = re.compile(
    r"(?:Listening for events on|Press Ctrl-C to quit|level=info msg=\"Initializing dissection cache|CPU \d{2}: )"
)


_CILIUM_OLD = re.compile(
    r"(?P<what>drop|trace|debug):? (?P<reason>[^()]{0,80}?(?:\(L\d\))?) ?\("
    r"(?:(?P<from>[\w:./-]{0,120}) )?(?P<source>[\d.]{7,15}|[0-9a-f:]{3,45}):(?P<sport>\d{1,5})\) => \("
    r"(?:(?P<to>[\w:./-]{0,120}) )?(?P<destination>[\d.]{7,15}|[0-9a-f:]{3,45}):(?P<dport>\d{1,5})\)"
)
_CILIUM_DEBUG = re.compile(
    r"(?:debug|trace): (?:Conntrack|CT |Successfully|Attempting|Service|Reverse|Conntrack lookup)"
)
_SKBSTAT = re.compile(r"TIME\s+NUM\s+FUNC/STACK|\d\d:\d\d:\d\d\s+\[(?:DROP|ALL)\]\s*$|#?\s*skbstat")


def recognise(head: Sequence[str]) -> float:
    """Sure when a line is there that nothing else prints."""
    return 1.0 if any(owns_line(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """A drop, a step or a title; stacks follow them."""
    if line.startswith(("0x", "@")):
        return bool(_is_pwru(line) or _COUNT.match(line) or _OPEN.match(line))
    return bool(
        ("kfree_skb" in line and _KFREE.match(line))
        or (" drop" in line and (_DROPS_AT.match(line) or line.startswith("xx drop")))
        or _DROP_AT.match(line)
        or _DROPWATCH.match(line)
        or _ATTACHING.match(line)
        or _PWRU_TITLE.match(line)
        or _GADGET_TITLE.match(line)
        or _is_cilium(line)
        or _CILIUM_OLD.match(line)
        or _CILIUM_DEBUG.match(line)
        or _SKBSTAT.match(line)
    )


def _is_pwru(line: str) -> bool:
    return _PWRU.match(line) is not None and ("->" in line or "kfree_skb" in line or "netns=" in line)


def _is_cilium(line: str) -> bool:
    found = _CILIUM.match(line)
    return found is not None and ("identity" in line or "flow 0x" in line) and _TUPLE.search(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """What a tracer prints is one listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The drops and, of tracers that follow a packet, its steps."""
    reader = _Reader()
    strange = [number for number, line in numbered(lines, first_line) if not reader.read(line, number)]
    return Dump(KIND, len(lines), tuple(strange), drops=tuple(reader.drops))


@dataclass
class _Reader:
    drops: list[DropEvent] = field(default_factory=list)
    _stack: list[str] | None = None
    _stack_line: int = 0
    _gadget: bool = False
    _counts: bool = False

    def read(self, line: str, number: int) -> bool:
        """Whether the line was understood."""
        readers = (
            self._perf,
            self._pwru,
            self._dropwatch,
            self._bpftrace,
            self._cilium,
            self._table,
            self._skbstat,
        )
        for attempt in readers:
            if attempt(line, number):
                return True
        return self._below(line)

    def _perf(self, line: str, number: int) -> bool:
        if not _KFREE.match(line):
            return False
        place, reason, process = _LOCATION.search(line), _REASON.search(line), _PROCESS.match(line)
        where = _function(place["place"]) if place else ""
        name = process["name"] if process else ""
        self.drops.append(DropEvent(number, "perf", reason["reason"] if reason else "", where, process=name))
        return True

    def _pwru(self, line: str, number: int) -> bool:
        if _PWRU_TITLE.match(line):
            return True
        if not _is_pwru(line):
            return False
        ends = _TUPLE.search(line)
        calls = [c for c in _PWRU_CALL.finditer(line) if "_" in c["name"]]
        call = next(
            (c for c in calls if c["reason"] or "kfree_skb" in c["name"]), calls[-1] if calls else None
        )
        name, reason = (call["name"], call["reason"] or "") if call else ("", "")
        dropped = bool(reason and reason != "NOT_SPECIFIED") or name.startswith(
            ("kfree_skb", "sk_skb_reason_drop")
        )
        self.drops.append(_with_ends(DropEvent(number, "pwru", reason, name, dropped=dropped), ends))
        return True

    def _dropwatch(self, line: str, number: int) -> bool:
        many, one = _DROPS_AT.match(line), _DROP_AT.match(line)
        if many is not None:
            self.drops.append(DropEvent(number, "dropwatch", "", many["place"], int(many["count"])))
        elif one is not None:
            self.drops.append(DropEvent(number, "dropwatch", "", one["place"]))
        elif _FIELD.match(line) and self.drops and self.drops[-1].tool == "dropwatch":
            reason = _DROP_REASON.match(line)
            if reason is not None:
                self.drops[-1] = replace(self.drops[-1], reason=reason["reason"])
        else:
            return _DROPWATCH.match(line) is not None
        return True

    def _bpftrace(self, line: str, number: int) -> bool:
        whole, opened = _COUNT.match(line), _OPEN.match(line)
        closed = _CLOSE.match(line) if self._stack is not None else None
        if whole is not None:
            keys = [key.strip() for key in whole["keys"].split(",")]
            self.drops.append(_counted(number, keys, int(whole["count"])))
        elif opened is not None:
            self._stack, self._stack_line = [], number
        elif closed is not None and self._stack is not None:
            keys = [*self._stack, *(closed["keys"] or "").split(", ")]
            self.drops.append(_counted(self._stack_line, [key for key in keys if key], int(closed["count"])))
            self._stack = None
        elif self._stack is not None and _STACK.match(line):
            self._stack.append(_function(line.strip()))
        else:
            return _ATTACHING.match(line) is not None
        return True

    def _cilium(self, line: str, number: int) -> bool:
        old = _CILIUM_OLD.match(line)
        if old is not None:
            dropped = old["what"] == "drop"
            reason = re.sub(r" ?\(L\d\)", "", old["reason"]).strip() if dropped else ""
            event = DropEvent(number, "cilium-monitor", reason, "", dropped=dropped)
            self.drops.append(_with_ends(event, old))
            return True
        if _CILIUM_DEBUG.match(line):
            return True
        if not _is_cilium(line):
            return _CILIUM_FIRST.match(line) is not None
        found, place = _CILIUM.match(line), _CILIUM_PLACE.search(line)
        assert found is not None, "_is_cilium says so"
        dropped = found["what"] == "xx drop" or "action deny" in line
        reason = (found["reason"] or "Policy denied") if dropped else ""
        event = DropEvent(number, "cilium-monitor", reason, place["file"] if place else "", dropped=dropped)
        self.drops.append(_with_ends(event, _TUPLE.search(line)))
        return True

    def _skbstat(self, line: str, number: int) -> bool:
        """bcc's skbstat: a count, and the stack below it."""
        if _SKBSTAT.match(line):
            self._counts = True
            return True
        count = re.match(r"\s{2,40}(\d{1,12})\s*$", line) if self._counts else None
        if count is not None:
            self.drops.append(DropEvent(number, "skbstat", "", "", int(count[1])))
        return count is not None

    def _table(self, line: str, number: int) -> bool:
        """Inspektor Gadget's columns: a title, then a drop a row."""
        if _GADGET_TITLE.match(line):
            self._gadget = True
            return True
        ends, reason = list(_GADGET_END.finditer(line)), _GADGET_REASON.search(line)
        if not self._gadget or len(ends) < 2 or reason is None:
            return False
        source, destination = ends[0], ends[1]
        self.drops.append(
            DropEvent(
                number, "inspektor-gadget", reason["reason"], "", protocol="tcp",
                source=source["address"].strip("[]"), source_port=int(source["port"]),
                destination=destination["address"].strip("[]"), destination_port=int(destination["port"]),
            )
        )  # fmt: skip
        return True

    def _below(self, line: str) -> bool:
        """A line of a stack: the function that dropped is the first that is none of the freeing ones."""
        stack = _STACK.match(line)
        if stack is None or not self.drops:
            return False
        name, last = stack["name"], self.drops[-1]
        freeing = ("kfree_skb", "skb_release", "__kfree", "sk_skb_reason_drop", "__traceiter", "consume_skb")
        if (not last.place or last.place.startswith("0x")) and not name.startswith(freeing):
            self.drops[-1] = replace(last, place=name)
        return True


def _counted(number: int, keys: Sequence[str], count: int) -> DropEvent:
    """A count of bpftrace by reason, function or stack."""
    words = [key.strip("\"' ") for key in keys]
    reason = next(
        (w.removeprefix("SKB_DROP_REASON_") for w in words if re.fullmatch(r"[A-Z][A-Z0-9_]{3,60}", w)), ""
    )
    freeing = ("kfree_skb", "skb_release", "__kfree", "sk_skb_reason_drop")
    functions = [w for w in words if re.fullmatch(r"[a-z_][\w.]{2,120}(?:\+\d{1,8}|\+0x[0-9a-f]+)?", w)]
    place = next((_function(w) for w in functions if not w.startswith(freeing)), "")
    dropped = bool(reason) or any(
        "skb" in w or w.startswith(("nf_", "tcp_", "ip_", "udp_")) for w in functions
    )
    return DropEvent(number, "bpftrace", reason, place, count, dropped=dropped)


def _with_ends(event: DropEvent, ends: re.Match[str] | None) -> DropEvent:
    if ends is None:
        return event
    source, destination = (
        canonical_address(ends[side].strip("[]")) or "" for side in ("source", "destination")
    )
    parts = ends.groupdict()
    protocol = (parts.get("protocol") or parts.get("word") or "").lower()
    return replace(
        event, protocol=protocol, source=source, source_port=int(ends["sport"]) & 0xFFFF, destination=destination,
        destination_port=int(ends["dport"]) & 0xFFFF,
    )  # fmt: skip


def _function(text: str) -> str:
    """The name without an offset."""
    return re.sub(r"\+(?:0x)?[0-9a-f]{1,8}(?:/0x[0-9a-f]+)?$", "", text.strip())
