"""Captures at several vantage points, and one shell session per host before and after."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workers.tests.lab.hosts import CommandFailedError, Host

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

READY_S = 60
SETTLE_S = 0.5
SNAP_LENGTH = "2048"
"""More than any frame here. Together with --immediate-mode, which keeps no block of packets back that an interrupt
would throw away: the kernel's ring then has one frame of this length for each packet."""
BUFFER_KIB = "32768"

NODE_COMMANDS = (
    "date -u",
    "conntrack -S",
    "sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max net.ipv4.ip_forward "
    "net.ipv4.conf.all.rp_filter net.ipv4.conf.eth0.rp_filter",
    "nstat -az",
    "ip -s link",
    "ip neigh",
    "ip route",
    "iptables-save -c",
)
HOST_COMMANDS = (
    "date -u",
    "nstat -az",
    "ss -lnt",
    "ss -s",
    "ip -s link",
    "ip neigh",
    "sysctl net.core.somaxconn net.ipv4.tcp_max_syn_backlog net.ipv4.tcp_syncookies",
    "nft list ruleset",
)


@dataclass(frozen=True)
class VantagePoint:
    """Where a capture is taken, and the file that it goes to."""

    host: Host
    interface: str
    file: str
    link_type: str | None = None


@dataclass(frozen=True)
class Listed:
    """A host whose shell sessions are kept, and the commands typed there."""

    host: Host
    commands: tuple[str, ...] = HOST_COMMANDS


@dataclass
class Recording:
    """What was captured and listed, with the counts that tcpdump gave."""

    tcpdump: dict[str, dict[str, int]] = field(default_factory=dict)
    nstat: dict[str, dict[str, int]] = field(default_factory=dict)
    """By host: the counters that rose, and by how much."""


@contextmanager
def recorded(folder: Path, points: Sequence[VantagePoint], listed: Sequence[Listed]) -> Iterator[Recording]:
    """Capture and list around the block."""
    recording = Recording()
    before = {one.host.name: _counters(one.host) for one in listed}
    list_all(folder, listed, "before")
    running = [(point, _start(folder, point)) for point in points]
    try:
        for point, process in running:
            _wait_until_listening(point, process)
        yield recording
        time.sleep(SETTLE_S)
    finally:
        for point, process in running:
            recording.tcpdump[point.file] = _stop(process)
    list_all(folder, listed, "after")
    for one in listed:
        after = _counters(one.host)
        rises = {name: count - before[one.host.name].get(name, 0) for name, count in after.items()}
        recording.nstat[one.host.name] = {name: rise for name, rise in rises.items() if rise}


def list_all(folder: Path, listed: Sequence[Listed], when: str) -> None:
    """One shell session per host, as a person would paste it."""
    with ThreadPoolExecutor(2) as pool:
        sessions = list(pool.map(lambda one: session(one.host, one.commands), listed))
    for one, text in zip(listed, sessions, strict=True):
        (folder / f"{one.host.prompt}-{when}.txt").write_text(text)


def session(host: Host, commands: Sequence[str]) -> str:
    """The text of a shell session: prompts, commands, outputs."""
    prompt = f"root@{host.prompt}:~# "
    script = "\n".join(f"echo {_quoted(prompt + command)}; {command} 2>&1" for command in commands)
    return f"{host.shell(script + '; true')}{prompt}\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _counters(host: Host) -> dict[str, int]:
    """The kernel's counters of a host, read for the truth and not for the report."""
    lines = host.run("nstat", "-asz").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _start(folder: Path, point: VantagePoint) -> subprocess.Popen[str]:
    link_type = ("-y", point.link_type) if point.link_type else ()
    return subprocess.Popen(
        (
            *point.host.entry(),
            *("tcpdump", "-n", "-Z", "root", "--immediate-mode", "-s", SNAP_LENGTH, "-B", BUFFER_KIB),
            *("-i", point.interface, *link_type),
            *("-w", str(folder / point.file)),
        ),
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_until_listening(point: VantagePoint, process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    if not any("listening on" in line for line in iter(process.stderr.readline, "")):
        raise CommandFailedError(f"tcpdump on {point.host.name} {point.interface} did not start")


def _stop(process: subprocess.Popen[str]) -> dict[str, int]:
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=READY_S)
    return {
        name: int(count) for count, name in re.findall(r"(\d+) packets (captured|dropped by kernel)", said)
    }
