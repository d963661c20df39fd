"""A resolver some of whose answers or queries are lost."""

from __future__ import annotations

import socket
import struct
import subprocess
import threading
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from workers.tests.lab.hosts import Host, counted, rule, run
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong

if TYPE_CHECKING:
    from pathlib import Path

    from workers.tests.lab.star import Star

TYPE_A = 1
HEADER = struct.Struct(">6H")
ANSWER_FLAGS = 0x8580
LOOKUPS = 24
LOOKUP_TIMEOUT_S = 30


@dataclass
class Resolver:
    """A name server that knows every name of `test`: A records, no AAAA."""

    host: Host
    late_s: float = 0
    queries: list[tuple[float, str, int]] = field(default_factory=list)
    """Time, peer and type of each query that the program got."""

    def start(self) -> Resolver:
        """Listen on port 53; returns when bound."""
        ready = threading.Event()
        ended = self.host.start(self._serve, ready)
        while not ready.wait(0.05):
            if ended.done():
                ended.result()
        return self

    def _serve(self, ready: threading.Event) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
            listener.bind(("", 53))
            ready.set()
            while True:
                query, peer = listener.recvfrom(4096)
                question = query[HEADER.size : query.index(b"\0", HEADER.size) + 5]
                kind = int.from_bytes(question[-4:-2], "big")
                self.queries.append((time.time(), f"{peer[0]}:{peer[1]}", kind))
                time.sleep(self.late_s)
                listener.sendto(_answer(query[:2], question, kind), peer)


def _answer(identifier: bytes, question: bytes, kind: int) -> bytes:
    record = (
        b"\xc0\x0c" + struct.pack(">HHIH", TYPE_A, 1, 30, 4) + bytes((10, 9, 8, 7)) if kind == TYPE_A else b""
    )
    counts = (int.from_bytes(identifier, "big"), ANSWER_FLAGS, 1, 1 if record else 0, 0, 0)
    return HEADER.pack(*counts) + question + record


@dataclass
class Lookup:
    """What the client's program saw of one `getaddrinfo`."""

    name: str
    ms: float
    outcome: str


def _look_up(name: str, after_s: float) -> Lookup:
    """One lookup by the C library's own resolver, in a process of its own."""
    time.sleep(after_s)
    started = time.monotonic()
    done = subprocess.run(
        ["getent", "ahosts", name], capture_output=True, timeout=LOOKUP_TIMEOUT_S, check=False
    )
    ms = round((time.monotonic() - started) * 1000, 1)
    return Lookup(name, ms, "ok" if done.returncode == 0 else f"exit {done.returncode}")


def _run(lab: Lab, lost: str = "", late_s: float = 0) -> list[Lookup]:
    """Lookups of the pods; `lost` is the router's match for what it drops."""
    star = lab.star()
    resolver = Resolver(star.servers[0], late_s).start()
    _use(star, lab.folder)
    if lost:
        rule(star.router, "lost", lost, "drop")
    with lab.recorded(star):
        times = [(lab.random.uniform(0, 5), star.pods[index % len(star.pods)]) for index in range(LOOKUPS)]
        started = [pod.start(_look_up, f"n{i}.lab.test", at) for i, (at, pod) in enumerate(times)]
        lookups = [each.result() for each in started]
    lab.truth |= {"lookups": [asdict(each) for each in lookups], "queries_received": len(resolver.queries)}
    if lost:
        lab.truth["dropped"] = counted(star.router, "lost")
    lab.truth["slow_lookups"] = sum(each.ms >= 1000 for each in lookups)
    return lookups


def _use(star: Star, folder: Path) -> None:
    """Let the C library of this instance ask the server; the files are mounted for this instance alone."""
    files = {
        "/etc/resolv.conf": f"nameserver {star.server_addresses[0]}\n",
        "/etc/nsswitch.conf": "hosts: files dns\n",
    }
    for path, text in files.items():
        own = folder / path.rpartition("/")[2]
        own.write_text(text)
        run("mount", "--bind", str(own), path)


@incident("dns-query-lost", "path-loss", "the router loses one DNS query in six: the C library waits 5 s")
def dns_query_lost(lab: Lab) -> list[Case]:
    """Loss of single queries at random, there alone."""
    _run(lab, lost="udp dport 53 numgen random mod 6 == 1")
    lost = {"dns-delay": (1, LOOKUPS)} if lab.truth["slow_lookups"] else {"dns-delay": (0, 0)}
    allowed = ("path-loss", "resolver-unresponsive", "return-path-loss")
    return [
        Case("all", EVERYTHING, allowed=allowed, findings=lost),
        Case("client", ("pod0.pcap",), allowed=allowed),
    ]


@incident(
    "resolver-silent", "resolver-unresponsive", "nothing answers at the resolver's port for the whole time"
)
def resolver_silent(lab: Lab) -> list[Case]:
    """Every query is dropped before the resolver."""
    _run(lab, lost="udp dport 53")
    allowed = ("resolver-unresponsive", "path-loss", "firewall-drop")
    return [
        Case("all", EVERYTHING, allowed, findings={"dns-delay": (1, 10_000)}),
        Case("client", ("pod0.pcap",), allowed=allowed),
    ]


@incident("dns-well", None, "twin of dns-query-lost: nothing lost; the resolver needs some milliseconds")
def dns_well(lab: Lab) -> list[Case]:
    """Lookups of A and AAAA from one socket, answered."""
    _run(lab, late_s=lab.random.uniform(0.001, 0.02))
    return [
        *nothing_wrong(("all", EVERYTHING)),
        Case("client", ("pod0.pcap",), findings={"dns-delay": (0, 0)}),
    ]
