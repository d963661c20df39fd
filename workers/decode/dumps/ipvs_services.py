"""`ipvsadm -L` in all its forms and `/proc/net/ip_vs`: virtual services and their real servers.

    IP Virtual Server version 1.2.1 (size=4096)
    Prot LocalAddress:Port Scheduler Flags
      -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
    TCP  10.96.0.100:80 rr
      -> 10.244.1.11:8080             Masq    1      0          355

Which columns there are (`--stats`, `--rate`, `--thresholds`, `--persistent-conn`) is read from the header, so a
row of bare numbers without its header is not understood. /proc writes addresses and ports in hexadecimal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backend.forensics.dumps import Dump, IpvsTraffic, RealServer, VirtualService
from workers.decode.dumps.fields import endpoint, numbered, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "ipvs-services"

_VERSION = re.compile(r"IP Virtual Server version [\d.]{1,16} \(size=\d{1,12}\)\s*$")
_PROTOCOL_HEADER = re.compile(r"Prot LocalAddress:Port\s{1,32}(?P<columns>\S.*)$")
_REMOTE_HEADER = re.compile(r"\s{1,4}-> RemoteAddress:Port(?P<columns>\s.*)?$")
_END = (
    r"(?:[0-9A-F]{8}:[0-9A-F]{4}|[\d.]{7,15}:\d{1,5}|\[[0-9a-fA-F:.]{2,45}\]:\w{1,5}"
    r"|[\w.-]{0,64}[A-Za-z][\w.-]{0,64}:[\w-]{1,32})"
)
_SERVICE = re.compile(
    rf"(?:(?P<protocol>TCP|UDP|SCTP)\s{{1,4}}(?P<end>{_END})|FWM\s{{1,4}}(?P<mark>\d{{1,10}}))(?P<rest>\s.*)?$"
)
_REAL = re.compile(rf"\s{{1,4}}-> (?P<end>{_END})(?P<rest>\s.*)?$")
_PROC_END = re.compile(r"[0-9A-F]{8}:[0-9A-F]{4}")
_FORWARDS = {"Masq": "Masq", "Route": "Route", "Tunnel": "Tunnel", "Local": "Local", "LocalNode": "Local"}
_SCALES = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}

Columns = tuple[str, ...]
STATS, RATE = ("Conns", "InPkts"), ("CPS", "InPPS")
_PLAIN: Columns = ("Forward", "Weight", "ActiveConn", "InActConn")
_THRESHOLDS: Columns = ("Uthreshold", "Lthreshold", "ActiveConn", "InActConn")
_PERSISTENT: Columns = ("Weight", "PersistConn", "ActiveConn", "InActConn")
_FIELD_OF = {
    "Weight": "weight",
    "ActiveConn": "active",
    "InActConn": "inactive",
    "PersistConn": "persistent",
    "Uthreshold": "upper_threshold",
    "Lthreshold": "lower_threshold",
}


@dataclass
class _Listing:
    """What the headers read so far say, and the services."""

    columns: Columns = ()
    hexadecimal: bool = False
    services: list[VirtualService] = field(default_factory=list)


def recognise(head: Sequence[str]) -> float:
    """The share of lines that ipvsadm prints."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A header, a service or a real server."""
    return any(shape.match(line) for shape in (_REAL, _SERVICE, _VERSION, _PROTOCOL_HEADER, _REMOTE_HEADER))


def starts_anew(previous: str, line: str) -> bool:
    """Each listing begins with the version."""
    return bool(previous and _VERSION.match(line))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The services, each with its real servers in the order printed."""
    listing = _Listing()
    not_understood = [
        number for number, line in numbered(lines, first_line) if not _read_line(listing, line, number)
    ]
    return Dump(KIND, len(lines), tuple(not_understood), services=tuple(listing.services))


def _read_line(listing: _Listing, line: str, number: int) -> bool:
    if _VERSION.match(line):
        return True
    header = _PROTOCOL_HEADER.match(line) or _REMOTE_HEADER.match(line)
    if header is not None:
        _read_header(listing, tuple((header["columns"] or "").split()), line)
        return True
    service = _SERVICE.match(line)
    if service is not None:
        read = _read_service(listing, service, number)
        listing.services += [] if read is None else [read]
        return read is not None
    real = _REAL.match(line)
    server = _read_real_server(listing, real, number) if real and listing.services else None
    if server is None:
        return False
    last = listing.services[-1]
    listing.services[-1] = replace(last, real_servers=(*last.real_servers, server))
    return True


def _read_header(listing: _Listing, columns: Columns, line: str) -> None:
    if columns and columns[0] != "Scheduler":
        listing.columns = columns
    # ipvsadm pads this header, the kernel does not.
    listing.hexadecimal |= "-> RemoteAddress:Port Forward" in line


def _read_service(listing: _Listing, match: re.Match[str], number: int) -> VirtualService | None:
    words = (match["rest"] or "").split()
    mark = whole_number(match["mark"] or "", largest=2**32 - 1)
    end = ("", 0) if match["mark"] else _endpoint_of(listing, match["end"])
    if end is None or (match["mark"] and mark is None):
        return None
    service = VirtualService(number, match["protocol"] or "FWM", *end, firewall_mark=mark)
    if listing.columns[:2] in (STATS, RATE):
        traffic = _traffic(listing.columns, words)
        return None if traffic is None else replace(service, traffic=traffic)
    return with_options(replace(service, scheduler=words[0] if words else ""), words[1:])


def with_options(service: VirtualService, words: Sequence[str]) -> VirtualService:
    """With the flags behind the scheduler: ``persistent 10800 mask 255.255.255.0``, ``(sh-port)``, ``ops``."""
    flags: list[str] = []
    persistent_s: int | None = None
    for before, word in zip(("", *words), words, strict=False):
        if before == "persistent":
            persistent_s = whole_number(word)
        else:
            flags += [flag for flag in word.strip("()").split(",") if flag]
    return replace(service, flags=tuple(flags), persistent_s=persistent_s)


def _read_real_server(listing: _Listing, match: re.Match[str], number: int) -> RealServer | None:
    end, words = _endpoint_of(listing, match["end"]), (match["rest"] or "").split()
    if end is None:
        return None
    server = RealServer(number, *end)
    if listing.columns[:2] in (STATS, RATE):
        traffic = _traffic(listing.columns, words)
        return None if traffic is None else replace(server, traffic=traffic)
    columns = listing.columns or (_PLAIN if words[:1] and words[0] in _FORWARDS else ())
    if columns not in (_PLAIN, _THRESHOLDS, _PERSISTENT) or len(words) != len(columns):
        return None
    if columns == _PLAIN:
        if words[0] not in _FORWARDS:
            return None
        server, columns, words = replace(server, forward=_FORWARDS[words[0]]), columns[1:], words[1:]
    values = {_FIELD_OF[name]: whole_number(word) for name, word in zip(columns, words, strict=True)}
    return None if None in values.values() else replace(server, **values)  # type: ignore[arg-type]


def _endpoint_of(listing: _Listing, text: str) -> tuple[str, int] | None:
    """Names, which `-L` without `-n` prints, stay as they are; a service's name has port 0."""
    if _PROC_END.fullmatch(text) or (listing.hexadecimal and text.startswith("[")):
        listing.hexadecimal = True
        return endpoint(text, hexadecimal=True)
    read = endpoint(text)
    if read is not None:
        return read
    name, _, port = text.rpartition(":")
    number = whole_number(port, largest=65_535)
    if name.replace(".", "").isdigit() or (number is None and port.isdigit()) or name.startswith("["):
        return None
    return name, number or 0


def _traffic(columns: Columns, words: Sequence[str]) -> IpvsTraffic | None:
    if len(words) != 5:
        return None
    values = [value for word in words if (value := _scaled(word)) is not None]
    if len(values) != 5:
        return None
    rounded = any(word[-1] in _SCALES for word in words)
    connections, packets_in, packets_out, bytes_in, bytes_out = values
    per_second = columns[:2] == RATE
    return IpvsTraffic(connections, packets_in, packets_out, bytes_in, bytes_out, per_second, rounded)


def _scaled(word: str) -> int | None:
    """``123``, or ``100M`` as ipvsadm abbreviates large numbers without `--exact`."""
    scale = _SCALES.get(word[-1:])
    number = whole_number(word[:-1] if scale else word)
    return None if number is None else number * (scale or 1)
