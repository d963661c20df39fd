"""Logs of a cluster's network components: kube-proxy, flannel, CoreDNS (klog and plain), Calico, Cilium (logfmt, JSON).

I1121 01:11:43.487264       1 proxier.go:1234] "Syncing iptables rules"
2026-11-21 01:11:43.487 [WARNING][64] felix/int_dataplane.go 1234: Failed to add route
time="2026-11-21T01:11:43Z" level=warning msg="No mapping for NAT masquerade" subsys=datapath
[ERROR] plugin/errors: 2 example.org. A: read udp 10.244.0.5:40000->10.0.0.2:53: i/o timeout
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from backend.forensics.dumps import Dump, LogMessage
from workers.decode.dumps.error_words import names_an_error
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.stated_times import stated_time_ns

KIND = "component-log"

_KLOG = re.compile(
    r"(?P<level>[IWEF])(?P<day>\d{4}) (?P<clock>\d\d:\d\d:\d{2,10}\.\d{1,9})"
    r"\s{1,8}\d{1,9} (?P<place>[\w./-]{1,80}:\d{1,6})\] ?(?P<text>.*)$"
)
_CALICO = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}) \[(?P<level>[A-Z]{4,8})\]\[\d{1,9}\](?: (?P<host>\S{1,64}))?? ?"
    r"(?P<place>[\w./-]{1,80} \d{1,6}): (?P<text>.*)$"
)
_BIRD = re.compile(r"bird: (?P<text>.*)$")
_LOGFMT = re.compile(
    r"(?:\S{1,40}=(?:\"(?:[^\"\\]|\\.){0,2000}\"|\S{0,400}) ){0,6}level=(?P<level>\w{4,8})\b.{0,4000}$"
)
_MESSAGE = re.compile(r"\bmsg=(?:\"(?P<quoted>(?:[^\"\\]|\\.){0,2000})\"|(?P<bare>\S{1,400}))")
_ERROR = re.compile(r"\berror=(?:\"(?P<quoted>(?:[^\"\\]|\\.){0,2000})\"|(?P<bare>\S{1,400}))")
_TIME = re.compile(r"\b(?:time|ts)=\"?(?P<time>\d{4}-\d\d-\d\dT[\d:.]{8,18}Z?)")
_SUBSYSTEM = re.compile(r"\bsubsys=(?P<name>[\w-]{1,60})")
_COREDNS = re.compile(r"\s{0,2}\[(?P<level>INFO|WARNING|ERROR|DEBUG|FATAL|PANIC)\] (?P<text>.*)$")
_ENVOY = re.compile(
    r"(?:\d{1,9}[-:])?\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\]\[\d{1,9}\]\[(?P<level>[a-z]{4,8})\]"
    r"\[[\w :-]{2,40}\] (?:\[(?P<place>[\w./-]{1,160}:\d{1,6})\] )?(?P<text>.*)$"
)
_ISTIO = re.compile(
    r"(?:> ?)?(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)\t?\s{0,8}(?P<level>trace|debug|info|warn|warning|error|"
    r"critical|fatal)\s{1,8}(?P<name>envoy [\w ]{2,24}?|[\w-]{2,24})\s{1,8}"
    r"(?:\[?(?P<place>[\w./-]{1,160}:\d{1,6})\]?\s{1,4})?"
    r"(?P<text>.*)$"
)
_FAILED = re.compile(
    r"upstream reset: reset reason|upstream (?:request )?timeout|connect timeout|"
    r"remote address .{1,80}connection refused|delayed connect error",
    re.IGNORECASE,
)
"""Envoy logs failures of requests at the level debug."""
_PROBE = re.compile(r"^\"Probe failed\"")
"""The kubelet logs it as information."""
_COREDNS_START = re.compile(
    r"Trace\[\d{1,20}\]: |\.:\d{2,5}$|CoreDNS-\d[\w.-]{0,20}$|linux/\w{3,8}, go[\d.]{3,10}(?: X:\w{1,40})?, \w{6,40}$"
)
_LEVELS: Final = {
    "I": "info", "W": "warning", "E": "error", "F": "fatal", "warn": "warning", "err": "error", "panic": "fatal",
    "critical": "fatal",
}  # fmt: skip
_LONGEST_OPEN: Final = 1_000
_TEXTS: Final = ("msg", "message", "content", "log", "MESSAGE", "textPayload")
"""Names under which programs and collectors of logs write the text."""
_BESIDE: Final = frozenset(
    (
        "level", "lvl", "caller", "ts", "time", "timestamp", "@timestamp", "severity", "logger", "stream", "PRIORITY",
    )
)  # fmt: skip
"""Fields of which a log line in JSON has at least one beside its message."""
_PLACES: Final = (
    (re.compile(r"proxier|kube-proxy|server_others|endpointslicecache|conntrack\.go|ipvs"), "kube-proxy"),
    (re.compile(r"vxlan|flannel|subnet|iptables\.go|kube\.go|manager\.go|main\.go"), "flannel"),
    (re.compile(r"prober|kubelet|pod_workers|generic\.go"), "kubelet"),
    (re.compile(r"felix|confd|typha|cni-plugin|int_dataplane|route_table"), "calico"),
)


def recognise(head: Sequence[str]) -> float:
    """The share of log lines."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A line in one of the forms, or what CoreDNS prints first."""
    return _read(line, 1) is not None or _COREDNS_START.match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """A log is one listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The messages. What is set in goes on from the message before."""
    messages: list[LogMessage] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        message = _read(line, number)
        if message is not None:
            messages.append(message)
        elif messages and _goes_on(messages[-1].text):
            messages[-1] = replace(messages[-1], text=f"{messages[-1].text} {line}"[:2_000])
        elif not ((messages and line[:1] in " \t") or _COREDNS_START.match(line)):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), log_messages=tuple(messages))


def _goes_on(text: str) -> bool:
    """A message with a bracket that is open yet: the output of a command that it quotes has several lines."""
    return len(text) < _LONGEST_OPEN and any(text.count(o) > text.count(c) for o, c in ("()", "[]"))


def _read(line: str, number: int) -> LogMessage | None:
    klog = _KLOG.match(line)
    if klog is not None:
        level = "warning" if _PROBE.search(klog["text"]) else _LEVELS[klog["level"]]
        return LogMessage(number, _component(klog["place"]), level, klog["text"], klog["place"])
    calico = _CALICO.match(line)
    if calico is not None:
        time_ns = stated_time_ns(calico["time"])
        return LogMessage(number, "calico", _level(calico["level"]), calico["text"], calico["place"], time_ns)
    if "level=" in line[:300] and ("msg=" in line or "error=" in line) and _LOGFMT.match(line):
        return _logfmt(line, number)
    if line[:1] == "{" and any(f'"{name}"' in line for name in (*_TEXTS, "response_flags")):
        return _of_json(line, number)
    envoy = _ENVOY.match(line) or _ISTIO.match(line)
    if envoy is not None:
        return _of_envoy(envoy, number)
    plain = _COREDNS.match(line)
    if plain is not None:
        return LogMessage(
            number, "coredns" if "plugin/" in line else "", _level(plain["level"]), plain["text"]
        )
    bird = _BIRD.match(line)
    return LogMessage(number, "calico", "info", bird["text"], "bird") if bird is not None else None


def _of_envoy(found: re.Match[str], number: int) -> LogMessage:
    name = found.groupdict().get("name") or "envoy"
    level = "error" if _FAILED.search(found["text"]) else _level(found["level"])
    component = "envoy" if name.startswith("envoy") else "istio"
    return LogMessage(
        number, component, level, found["text"], found["place"] or "", stated_time_ns(found["time"])
    )


def _logfmt(line: str, number: int) -> LogMessage | None:
    level, message, error = _LOGFMT.match(line), _MESSAGE.search(line), _ERROR.search(line)
    assert level is not None, "the caller has matched it"
    words = [found["quoted"] or found["bare"] or "" for found in (message, error) if found]
    time, subsystem = _TIME.search(line), _SUBSYSTEM.search(line)
    component = "cilium" if subsystem else ""
    place = subsystem["name"] if subsystem else ""
    time_ns = stated_time_ns(time["time"]) if time else None
    return LogMessage(number, component, _level(level["level"]), ": ".join(words), place, time_ns)


def _of_json(line: str, number: int) -> LogMessage | None:
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    if "response_flags" in read:
        return _of_access_log(read, number)
    error = read.get("error") or read.get("err")
    text = next((read[name] for name in _TEXTS if read.get(name)), None)
    level = read.get("level") or read.get("lvl") or read.get("severity") or ("error" if error else "info")
    if not isinstance(text, str) or not read.keys() & _BESIDE:
        return None
    level = level if isinstance(level, str) else "info"
    if _level(level) == "info" and names_an_error(text):
        level = "error"
    time = next((read[name] for name in ("time", "ts", "timestamp", "@timestamp") if read.get(name)), None)
    time_ns = stated_time_ns(time) if isinstance(time, str) else None
    whole = f"{text}: {error}" if isinstance(error, str) else text
    return LogMessage(number, "", _level(level), whole[:2_000], "", time_ns)


def _of_access_log(read: dict[str, object], number: int) -> LogMessage:
    """A request of Envoy's access log in JSON."""
    flags = str(read["response_flags"] or "-")[:40]
    time, code = read.get("start_time"), str(read.get("response_code", "0"))[:3]
    request = " ".join(str(read.get(name) or "-")[:200] for name in ("method", "path", "upstream_host"))
    text = (
        f"{request} code={code} response_flags={flags} {str(read.get('response_code_details') or '')[:200]}"
    )
    time_ns = stated_time_ns(time) if isinstance(time, str) else None
    return LogMessage(number, "envoy", "info" if flags == "-" else "error", text, "access log", time_ns)


def _level(text: str) -> str:
    lower = text.lower()
    return _LEVELS.get(lower, lower)


def _component(place: str) -> str:
    return next((name for pattern, name in _PLACES if pattern.search(place)), "klog")
