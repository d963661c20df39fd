"""`ipvsadm -Sn`: the services as the commands that make them.

-A -t 10.96.0.100:443 -s wrr -p 10800
-a -t 10.96.0.100:443 -r 10.244.1.11:8080 -m -w 3
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

from backend.forensics.dumps import Dump, RealServer, VirtualService
from workers.decode.dumps.fields import endpoint, numbered, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "ipvs-services"

_PROTOCOLS = {
    "-t": "TCP", "-u": "UDP", "-f": "FWM", "--tcp-service": "TCP", "--udp-service": "UDP", "--fwmark-service": "FWM",
    "--sctp-service": "SCTP",
}  # fmt: skip
_COMMAND = re.compile(
    r"-[Aa] (?:(?:-[tu]|--(?:tcp|udp|sctp)-service) \S{1,128}:\S{1,32}|(?:-f|--fwmark-service) \d{1,10})\s"
)
_FORWARDS = {"-m": "Masq", "-g": "Route", "-i": "Tunnel"}
_WITH_VALUE = frozenset(
    (
        "-s", "-p", "-M", "-b", "--pe", "--sched-flags", "-r", "-w", "-x", "-y", "--tun-type", "--tun-port",
        "--tun-flags", "--tun-nocsum",
    )
)  # fmt: skip


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are such commands."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A command that adds a service or a real server."""
    return bool(_COMMAND.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """Nothing marks the beginning of a second listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The services; a real server of a service that is not listed before it is not understood."""
    services: list[VirtualService] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        words = _words_of(line)
        end = _service_end(words)
        if end is None:
            not_understood.append(number)
        elif words[0] == "-A":
            services.append(_service(words, end, number))
        elif not _add_real_server(services, words, end, number):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), services=tuple(services))


def _words_of(line: str) -> list[str]:
    if not _COMMAND.match(line):
        return []
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _service_end(words: Sequence[str]) -> VirtualService | None:
    """The service that the command names, without its options."""
    if len(words) < 3:
        return None
    protocol = _PROTOCOLS[words[1]]
    if protocol == "FWM":
        mark = whole_number(words[2], largest=2**32 - 1)
        return None if mark is None else VirtualService(0, protocol, "", 0, firewall_mark=mark)
    end = endpoint(words[2])
    return None if end is None else VirtualService(0, protocol, *end)


def _options(words: Sequence[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    following = iter(words)
    for word in following:
        options[word] = next(following, "") if word in _WITH_VALUE else ""
    return options


def _service(words: Sequence[str], end: VirtualService, number: int) -> VirtualService:
    options = _options(words[3:])
    flags = [flag for name in ("-b", "--sched-flags") for flag in options.get(name, "").split(",") if flag]
    flags += ["persistent"] if "-p" in options else []
    flags += ["ops"] if "-o" in options or "--ops" in options else []
    persistent_s = whole_number(options.get("-p", ""))
    return replace(
        end, line=number, scheduler=options.get("-s", ""), flags=tuple(flags), persistent_s=persistent_s
    )


def _add_real_server(
    services: list[VirtualService], words: Sequence[str], end: VirtualService, number: int
) -> bool:
    options = _options(words[3:])
    real = endpoint(options.get("-r", ""))
    same = [n for n, s in enumerate(services) if _identity(s) == _identity(end)]
    if real is None or not same:
        return False
    forward = next((name for option, name in _FORWARDS.items() if option in options), "")
    server = RealServer(
        number,
        *real,
        forward=forward,
        weight=whole_number(options.get("-w", "")),
        upper_threshold=whole_number(options.get("-x", "")),
        lower_threshold=whole_number(options.get("-y", "")),
    )
    service = services[same[-1]]
    services[same[-1]] = replace(service, real_servers=(*service.real_servers, server))
    return True


def _identity(service: VirtualService) -> tuple[str, str, int, int | None]:
    return service.protocol, service.address, service.port, service.firewall_mark
