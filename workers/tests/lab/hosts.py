"""Hosts as network namespaces, and the links between them.

Everything here runs below `unshare --net --mount --pid --kill-child` (see `instance.py`): names of namespaces
are private to one instance, and the kernel removes them with its last process, however that one ends.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")

NAMESPACES = Path("/run/netns")
CLONE_NEWNET = 0x40000000


class CommandFailedError(RuntimeError):
    """A command of the lab ended with an error."""


@dataclass(frozen=True)
class Host:
    """One network namespace, with the name that its shell prompt shows."""

    name: str
    prompt: str

    def run(self, *command: str, stdin: str | None = None) -> str:
        """Run a command in this host; its output."""
        return run(*self.entry(), *command, stdin=stdin)

    def entry(self) -> tuple[str, ...]:
        """What to put before a command so that it runs here."""
        return ("nsenter", f"--net={NAMESPACES / self.name}")

    def shell(self, script: str) -> str:
        """Run a shell script in this host; its output, errors among it."""
        return run(*self.entry(), "sh", "-c", script)

    def ip(self, *lines: str) -> None:
        """Run lines of `ip -batch`."""
        run("ip", "-n", self.name, "-batch", "-", stdin="\n".join(lines) + "\n")

    def nft(self, *lines: str) -> None:
        """Run lines of `nft -f`."""
        self.run("nft", "-f", "-", stdin="\n".join(lines) + "\n")

    def sysctl(self, **values: int | str) -> None:
        """Set sysctls of the `net` tree; two underscores stand for a dot."""
        self.run("sysctl", "-q", *(f"net.{key.replace('__', '.')}={value}" for key, value in values.items()))

    def enter(self) -> None:
        """Move the calling thread, and no other, into this host."""
        with (NAMESPACES / self.name).open("rb") as handle:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(handle.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), self.name)

    def start(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function in a thread of its own whose sockets are those of this host."""
        future: Future[T] = Future()

        def body() -> None:
            try:
                self.enter()
                future.set_result(function(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=body, daemon=True, name=f"{self.name}:{function.__name__}").start()
        return future


def run(*command: str, stdin: str | None = None) -> str:
    """Run a command; its output, or an error with what it said."""
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise CommandFailedError(f"{' '.join(command)}: exit {done.returncode}: {said}\n{stdin or ''}")
    return done.stdout


def add_host(name: str, prompt: str) -> Host:
    """A new host with its loopback interface up."""
    run("ip", "netns", "add", name)
    host = Host(name, prompt)
    host.ip("link set lo up")
    return host


def rule(host: Host, name: str, match: str, verdict: str, hook: str = "forward", family: str = "ip") -> None:
    """Let a host treat packets so, and count them: an nftables rule with a counter of that name."""
    host.nft(
        f"add table {family} lab",
        f"add counter {family} lab {name}",
        f"add chain {family} lab {name} {{ type filter hook {hook} priority 0 ; }}",
        f"add rule {family} lab {name} {match} counter name {name} {verdict}",
    )


def counted(host: Host, name: str, family: str = "ip") -> int:
    """How many packets met the rule of that name."""
    words = host.run("nft", "list", "counter", family, "lab", name).split()
    return int(words[words.index("packets") + 1])


def connect(one: Host, interface: str, other: Host, other_interface: str, mtu: int = 1500) -> None:
    """A cable: a veth pair, without segmentation offload so that captures hold what a wire would."""
    run(
        *("ip", "link", "add", interface, "netns", one.name, "mtu", str(mtu), "type", "veth"),
        *("peer", "name", other_interface, "netns", other.name, "mtu", str(mtu)),
    )
    for host, name in ((one, interface), (other, other_interface)):
        host.run("ethtool", "-K", name, "tso", "off", "gso", "off", "gro", "off")
        host.ip(f"link set {name} up")
