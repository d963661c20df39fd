"""What `curl -w` prints, as the widely used format files and as `%{json}`.

    time_namelookup:  0.001204s
       time_connect:  0.003012s
         time_total:  0.005411s
{"http_code":200,"num_connects":1,"time_connect":0.003,"time_namelookup":0.001,"time_total":0.005,…}
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.dumps import Dump, Probe, ProbeKind, ProbeSeries, ProbeTable
from workers.decode.dumps.fields import canonical_address, numbered
from workers.decode.dumps.formats import share_owned

KIND = "curl"

_NAMES = (
    "namelookup", "connect", "appconnect", "pretransfer", "redirect", "starttransfer", "posttransfer", "queue", "total",
)  # fmt: skip
_ONE = (
    rf"time_(?P<name>{'|'.join(_NAMES)})[\"']?\s{{0,12}}[:=]\s{{0,12}}(?P<value>\d{{1,6}}(?:\.\d{{1,9}})?)s?"
)
_LINE = re.compile(rf"\s{{0,40}}{_ONE}(?![\d.])")
_EACH = re.compile(_ONE)
_JSON = re.compile(
    r'\{"(?:certs|content_type|conn_id|errormsg|exitcode|filename_effective|ftp_entry_path|http_code)":'
)
_UNDERSTOOD = re.compile(
    r"\s{0,40}-{4,60}\s*$|(?:real|user|sys)\s{1,8}\d{1,6}m ?[\d.]{1,12}s\s*$|Command exited with|"
    r"\s{0,40}(?:http_code|response_code|remote_ip|size_\w{1,20}|speed_\w{1,20}|num_\w{1,20}|"
    r"url_effective|ssl_verify_result|local_port)\s{0,12}[:=]"
)
_LONGEST_JSON = 60_000


def recognise(head: Sequence[str]) -> float:
    """The share of lines with a time of curl's."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A line that begins with one of its times, or the object it prints for `%{json}`."""
    return bool(_LINE.match(line) or (_JSON.match(line) and '"' in line))


def starts_anew(previous: str, line: str) -> bool:
    """The runs of a loop are one listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Of each request up to three round trips: the lookup, the handshake behind it, the whole."""
    requests: list[_Request] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        read = _read(line)
        if read is None:
            if not _UNDERSTOOD.match(line):
                not_understood.append(number)
            continue
        times, target, address = read
        # Formats without time_total begin anew with a name that was printed already.
        if requests and "total" not in requests[-1].times and not times.keys() & requests[-1].times.keys():
            requests[-1] = _Request(number, requests[-1].times | times, target, address)
        else:
            requests.append(_Request(number, times, target, address))
    series, probes = _measured(requests)
    return Dump(
        KIND,
        len(lines),
        tuple(not_understood),
        probes=ProbeTable.of(probes),
        probe_series=series,
    )


@dataclass(frozen=True)
class _Request:
    """Seconds by name, since the request began, and the line of the last of them."""

    line: int
    times: dict[str, float]
    target: str
    address: str


def _measured(requests: Sequence[_Request]) -> tuple[tuple[ProbeSeries, ...], list[Probe]]:
    series: dict[tuple[ProbeKind, str], ProbeSeries] = {}
    probes: list[Probe] = []
    for number, request in enumerate(requests):
        for kind, rtt_s in _round_trips(request.times):
            key = kind, request.target
            series.setdefault(key, ProbeSeries(request.line, "curl", kind, request.target, request.address))
            probes.append(Probe(request.line, list(series).index(key), number, None, rtt_s * 1_000))
    return tuple(series.values()), probes


def _read(line: str) -> tuple[dict[str, float], str, str] | None:
    """(seconds by name, target, address) of a line, None where it holds no time."""
    if _JSON.match(line):
        return _read_json(line)
    if not _LINE.match(line):
        return None
    return {match["name"]: float(match["value"]) for match in _EACH.finditer(line[:2_000])}, "", ""


def _read_json(line: str) -> tuple[dict[str, float], str, str] | None:
    try:
        said = json.loads(line) if len(line) <= _LONGEST_JSON else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    times = {
        name: float(value)
        for name in _NAMES
        if isinstance(value := said.get(f"time_{name}"), int | float) and 0 <= value < 1e6
    }
    host = str(said.get("url_effective") or said.get("url") or "")[:2_000].partition("?")[0]
    return (
        (times, _without_secrets(host), canonical_address(str(said.get("remote_ip"))) or "")
        if times
        else None
    )


def _without_secrets(url: str) -> str:
    """The address without a user's name and password."""
    scheme, mark, rest = url.partition("://")
    head, slash, path = rest.partition("/")
    return f"{scheme}{mark}{head.rpartition('@')[2]}{slash}{path}" if mark else url.rpartition("@")[2]


def _round_trips(times: dict[str, float]) -> list[tuple[ProbeKind, float]]:
    """Times count from the beginning of the request; 0 stands for a step that was not taken."""
    looked_up, connected = times.get("namelookup", 0.0), times.get("connect", 0.0)
    found: list[tuple[ProbeKind, float]] = []
    if looked_up > 0:
        found.append(("dns", looked_up))
    if connected > looked_up:
        found.append(("tcp", connected - looked_up))
    return [*found, ("http", times["total"])] if "total" in times else found
