"""A resolver some of whose answers or queries are lost."""

from __future__ import annotations

import socket
import struct
import subprocess
import threading
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from workers.tests.lab.hosts import Host, counted, rule, run
from workers.tests.lab.incident import EVERYTHING, Case, Lab, each_share, incident, nothing_wrong
from workers.tests.lab.programs import make_calls

if TYPE_CHECKING:
    from pathlib import Path

    from workers.tests.lab.star import Star

TYPE_A = 1
HEADER = struct.Struct(">6H")
ANSWER_FLAGS = 0x8580
NXDOMAIN = 3
SERVFAIL = 2
TRUNCATED = 0x0200
LOOKUPS = 24
CAPTURES = ("pod0.pcap", "node.pcap", "server0.pcap")
LOOKUP_TIMEOUT_S = 30


@dataclass
class Resolver:
    """A name server that knows every name of `test`: A records, no AAAA."""

    host: Host
    late_s: float = 0
    late_names: frozenset[str] = frozenset()
    """Names whose answers alone are late; every name's where there is none."""
    unknown_below: str = ""
    """Names that end so do not exist."""
    failing_names: frozenset[str] = frozenset()
    """Names that are answered with SERVFAIL."""
    by_tcp: bool = False
    """Every answer over UDP is truncated, and whole over TCP."""
    queries: list[tuple[float, str, int]] = field(default_factory=list)
    """Time, peer and type of each query that the program got."""

    def start(self) -> Resolver:
        """Listen on port 53; returns when bound."""
        ready = threading.Event()
        ended = self.host.start(self._serve, ready)
        while not ready.wait(0.05):
            if ended.done():
                ended.result()
        if self.by_tcp:
            self.host.start(self._serve_tcp)
        return self

    def _serve(self, ready: threading.Event) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
            listener.bind(("", 53))
            ready.set()
            while True:
                query, peer = listener.recvfrom(4096)
                answer, late_s = self._answer_to(query, f"{peer[0]}:{peer[1]}", truncated=self.by_tcp)
                threading.Timer(late_s, listener.sendto, (answer, peer)).start()

    def _serve_tcp(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.bind(("", 53))
            listener.listen(64)
            while True:
                peer, (address, port) = listener.accept()
                with peer:
                    peer.settimeout(2)
                    # The C library sends both queries, each behind its length (RFC 1035 section 4.2.2).
                    try:
                        while len(length := peer.recv(2, socket.MSG_WAITALL)) == 2:
                            query = peer.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL)
                            answer, _ = self._answer_to(query, f"{address}:{port}", truncated=False)
                            peer.sendall(len(answer).to_bytes(2, "big") + answer)
                    except OSError:
                        continue

    def _answer_to(self, query: bytes, peer: str, *, truncated: bool) -> tuple[bytes, float]:
        """The answer, and after how many seconds it is sent."""
        question = query[HEADER.size : query.index(b"\0", HEADER.size) + 5]
        kind = int.from_bytes(question[-4:-2], "big")
        self.queries.append((time.time(), peer, kind))
        name = _name(question)
        unknown = bool(self.unknown_below) and name.endswith(self.unknown_below)
        rcode = NXDOMAIN if unknown else SERVFAIL if name in self.failing_names else 0
        late_s = self.late_s if not self.late_names or name in self.late_names else 0
        flags = ANSWER_FLAGS | rcode | (TRUNCATED if truncated else 0)
        return _answer(query[:2], question, kind, flags), late_s


def _name(question: bytes) -> str:
    """`n1.lab.test` of a question's labels."""
    labels, at = [], 0
    while question[at]:
        labels.append(question[at + 1 : at + 1 + question[at]].decode())
        at += 1 + question[at]
    return ".".join(labels)


def _answer(identifier: bytes, question: bytes, kind: int, flags: int) -> bytes:
    known = kind == TYPE_A and flags == ANSWER_FLAGS
    record = b"\xc0\x0c" + struct.pack(">HHIH", TYPE_A, 1, 30, 4) + bytes((10, 9, 8, 7)) if known else b""
    counts = (int.from_bytes(identifier, "big"), flags, 1, 1 if record else 0, 0, 0)
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


def _run(lab: Lab, lost: str = "", search: str = "", **resolver_options: Any) -> list[Lookup]:
    """Lookups of the pods; `lost` is the router's match for what it drops, `search` a line of resolv.conf."""
    star = lab.star()
    resolver = Resolver(star.servers[0], **resolver_options).start()
    _use(star, lab.folder, search)
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


def _use(star: Star, folder: Path, search: str) -> None:
    """Let the C library of this instance ask the server; the files are mounted for this instance alone."""
    files = {
        "/etc/resolv.conf": f"nameserver {star.server_addresses[0]}\n{search}",
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


@incident("dns-one-lost", None, "behind source NAT one single query is lost: one lookup takes 5 s longer")
def dns_one_lost(lab: Lab) -> list[Case]:
    """Two captures show where it was lost; why can't be known of one packet."""
    _run(lab, lost=f"udp dport 53 numgen inc mod 1000 == {lab.random.randint(5, 30)}")
    lost = ("path-loss",)
    return [
        Case("all", EVERYTHING, allowed=lost, findings={"dns-delay": (1, 1)}),
        *each_share(("pod0.pcap", "node.pcap", "server0.pcap"), lost),
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


@incident(
    "slow-resolver", "slow-resolver", "the resolver needs seconds for some names, as for a slow upstream"
)
def slow_resolver(lab: Lab) -> list[Case]:
    """Nothing is lost; the answers about every fourth name come late."""
    late = frozenset(f"n{number}.lab.test" for number in range(0, LOOKUPS, 4))
    _run(lab, late_s=lab.random.uniform(1.3, 3.5), late_names=late)
    slow = ("slow-resolver",)
    found = {"dns-delay": (len(late), len(late))}
    return [
        Case("all", EVERYTHING, slow, findings=found),
        Case("node", ("node.pcap",), slow, findings=found),
        Case("client", ("pod0.pcap",), allowed=slow),
    ]


@incident(
    "search-list",
    "search-list-expansion",
    "three suffixes of the search list come first; the resolver needs 0.4 s to deny each",
)
def search_list(lab: Lab) -> list[Case]:
    """`ndots:5` and a search list as pods have them."""
    suffixes = [f"{part}lab.cluster" for part in ("default.svc.", "svc.", "")]
    names = frozenset(f"n{n}.lab.test.{suffix}" for n in range(LOOKUPS) for suffix in suffixes)
    line = f"search {' '.join(suffixes)}\noptions ndots:5\n"
    wait_s = lab.random.uniform(0.38, 0.6)
    _run(lab, search=line, late_s=wait_s, late_names=names, unknown_below=".lab.cluster")
    multiplied = ("search-list-expansion",)
    allowed = (*multiplied, "slow-resolver")
    return [
        Case("all", EVERYTHING, allowed, named=multiplied),
        Case("client", ("pod0.pcap",), allowed, named=multiplied),
    ]


@incident("dns-servfail", None, "the resolver answers every fourth name with SERVFAIL, at once")
def dns_servfail(lab: Lab) -> list[Case]:
    """Nothing is lost, nobody waits for a time-out; the C library asks again, and gives up."""
    failing = frozenset(f"n{number}.lab.test" for number in range(0, LOOKUPS, 4))
    _run(lab, late_s=lab.random.uniform(0.001, 0.02), failing_names=failing)
    return [Case("all", EVERYTHING, findings={"dns-delay": (0, 0)}), *each_share(CAPTURES, ())]


@incident("dns-by-tcp", None, "every answer over UDP is truncated: the C library asks again over TCP")
def dns_by_tcp(lab: Lab) -> list[Case]:
    """Twice the round trips, nothing lost."""
    _run(lab, late_s=lab.random.uniform(0.001, 0.02), by_tcp=True)
    return [Case("all", EVERYTHING, findings={"dns-delay": (0, 0)}), *each_share(CAPTURES, ())]


@incident("no-name-server", "no-name-server", "queries go to the broadcast address, as without a name server")
def no_name_server(lab: Lab) -> list[Case]:
    """Three tries each, 3 s apart, beside connections that nothing happens to."""
    star = lab.star()
    star.serve()
    with lab.recorded(star):
        asking = [star.pods[0].start(_ask_everybody, f"host{number}.lab.test") for number in range(3)]
        lab.calls = make_calls(star.calls(30, 4))
        for each in asking:
            each.result()
    missing = ("no-name-server",)
    return [Case("all", EVERYTHING, missing), Case("client", ("pod0.pcap",), missing)]


def _ask_everybody(name: str) -> None:
    labels = b"".join(bytes((len(label),)) + label.encode() for label in name.split("."))
    query = HEADER.pack(len(name) * 257 + name.encode()[4], 0x0100, 1, 0, 0, 0) + labels + b"\0\0\1\0\1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        for _ in range(3):
            asker.sendto(query, ("255.255.255.255", 53))
            time.sleep(3)
