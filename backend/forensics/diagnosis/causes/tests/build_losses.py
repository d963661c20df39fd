"""Captures and dumps in which SYNs are lost in one way or another, so that a test can add or take away one thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from backend.forensics.analyze import analyse_evidence
from backend.forensics.captures import Capture
from backend.forensics.dumps import CounterRow, Dump, FilterRule, KernelMessage, ListenSocket, Setting
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import ACK, ICMP, RST, SYN
from backend.forensics.report import DiagnosisPart, Report
from backend.forensics.signals import SENT_AGAIN, SIGNAL_DTYPE
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S, plain_path

HOST = "192.0.2.10"
SERVER = f"{HOST}:80"
OTHER_PORT = f"{HOST}:8080"
OTHER_HOST = "192.0.2.99:80"
BOTH = ("cni0", "eth0")


class Losses(CaptureBuilder):
    """Numbers its connections itself: `usual`, `silent`, `late`, `unheard` and `inside` each add some."""

    def __init__(self, *places: str) -> None:
        super().__init__(places=places or BOTH)
        self._next = 0

    def _new(self, client: str, server: str) -> tuple[int, int, list[Hop]]:
        self._next += 1
        path = plain_path(f"{client}:{20_000 + self._next}", server, *self.places)
        return T0_NS + self._next * 20 * MS, 10_000 * self._next, path

    def first_port(self, port: int) -> None:
        """Of the next connection."""
        self._next = port - 20_001

    def usual(self, server: str, number: int, *, client: str = "10.0.0.1", refused: bool = False) -> Losses:
        """Connections answered at once: with SYN-ACK, or with RST."""
        for _ in range(number):
            at_ns, isn, path = self._new(client, server)
            if not refused:
                self.connect(at_ns, path, isn=isn)
                continue
            self.syn(at_ns, path, isn=isn)
            for hop in reversed(path):
                columns = {"tcp_flags": RST | ACK, "acknowledgement": isn + 1}
                self.packet(hop.place, at_ns + MS, server, hop.source, **columns)
        return self

    def silent(
        self,
        server: str,
        number: int,
        *,
        client: str = "10.0.0.1",
        gaps_s: Sequence[int] = (1, 2, 4),
        seen_at: int = 9,
    ) -> Losses:
        """Attempts that send their SYN after these gaps and are never answered."""
        for _ in range(number):
            at_ns, isn, path = self._new(client, server)
            for gap_s in (0, *gaps_s):
                at_ns += gap_s * S
                self.syn(at_ns, path[:seen_at], isn=isn)
        return self

    def late(
        self, server: str, number: int, *, seen_at: int = 9, client: str = "10.0.0.1", stamp: int = 0
    ) -> Losses:
        """Attempts whose first SYN gets as far as `seen_at` places; the second opens."""
        for _ in range(number):
            at_ns, isn, path = self._new(client, server)
            columns = {"timestamp_value": stamp + self._next} if stamp else {}
            self.syn(at_ns, path[:seen_at], isn=isn, **columns)
            if stamp:
                columns = {"timestamp_value": 2**30 + 10 * self._next}
            self.syn(at_ns + S, path, isn=isn, **columns)
            self.answer(at_ns + S + MS, path, isn=isn)
        return self

    def unheard(
        self,
        server: str,
        number: int,
        *,
        answer_seen_at: Sequence[str] = ("eth0",),
        sent_to: str | None = None,
    ) -> Losses:
        """Attempts whose SYN-ACK is seen at these places only; the server repeats it, the client sends again. With
        `sent_to` the first place sees it on its way to that address and port."""
        for _ in range(number):
            at_ns, isn, path = self._new("10.0.0.1", server)
            self.syn(at_ns, path, isn=isn)
            columns = {"tcp_flags": SYN | ACK, "sequence": isn + 7, "acknowledgement": isn + 1}
            for hop in path:
                if hop.place in answer_seen_at:
                    self.packet(hop.place, at_ns + MS, server, hop.source, **columns)
            if sent_to is not None:
                self.packet(self.places[0], at_ns + MS + 20_000, server, sent_to, **columns)
            self.connect(at_ns + S, path, isn=isn)
        return self

    def told(self, server: str, code: int, *, reporter: str = "192.0.2.1") -> Losses:
        """An ICMP error that quotes the last connection's SYN."""
        number = self._next
        at_ns, client = T0_NS + number * 20 * MS + 3 * S, f"10.0.0.1:{20_000 + number}"
        columns = {"protocol": ICMP, "icmp_type": 3, "icmp_code": code, "sequence": 10_000 * number}
        columns |= {"source_port": 20_000 + number, "destination_port": int(server.rsplit(":", 1)[1])}
        for place in reversed(self.places):
            self.packet(place, at_ns, f"{reporter}:0", f"{client.split(':')[0]}:0", **columns)
        return self


def add_data(capture: Capture, segments: int, again: int) -> Capture:
    """Data at the last vantage point, some of it sent again."""
    row = int((capture.connections["vantage"] == len(capture.vantage_points) - 1).argmax())
    capture.connections["data_segments"][row] = segments
    capture.connections["data_retransmissions"][row] = again
    return capture


def with_first_data(capture: Capture, *, again: int, later_again: int) -> Capture:
    """Each connection opened with a request of one segment and an answer of two; so many requests were sent twice,
    and so many answers."""
    table = capture.connections.copy()
    opened = np.flatnonzero(table["established_ns"] >= 0)
    table["client_bytes"][opened], table["server_bytes"][opened] = 100, 2_900
    table["data_segments"][opened] = 3
    twice = [(1, row) for row in opened[:again]] + [(0, row) for row in opened[-later_again or len(opened) :]]
    signals = np.zeros(len(twice), SIGNAL_DTYPE)
    for signal, (from_client, row) in zip(signals, twice, strict=True):
        table["data_segments"][row] += 1
        table["data_retransmissions"][row] += 1
        signal["connection"], signal["kind"], signal["from_client"] = row, SENT_AGAIN, from_client
        signal["sequence"], signal["time_ns"] = table["isn"][row] + 1, table["last_ns"][row]
        signal["payload_bytes"], signal["frame"] = 100, table["syn_frame"][row]
    return replace(capture, connections=table, signals=signals)


def report(captures: Sequence[Capture], *dumps: DumpInput) -> Report:
    return analyse_evidence(captures, dumps, [], label="x", created="2026", tool_version="0").report


def diagnosis(cause: str, capture: Capture, *dumps: DumpInput) -> DiagnosisPart | None:
    """The answer of this cause, about SERVER where it has several; None without one."""
    found = [d for d in report([capture], *dumps).diagnoses if d.cause == cause]
    return next((d for d in found if len(found) == 1 or f"{SERVER} " in d.statement), None)


def confidence(cause: str, capture: Capture, *dumps: DumpInput) -> float:
    found = diagnosis(cause, capture, *dumps)
    return found.confidence if found else 0.0


def nstat(**rises: int) -> list[DumpInput]:
    """nstat before and after; each counter rises by so much from 5."""
    dumps = []
    for when, name in enumerate(("nstat-1.txt", "nstat-2.txt")):
        rows = tuple(
            CounterRow(line, None, {counter: 5 + by * when})
            for line, (counter, by) in enumerate(rises.items(), 1)
        )
        at_ns = T0_NS + when * 60 * S
        dumps.append(DumpInput(name, None, Dump("nstat", 9, (), at_ns, "text", counters=rows)))
    return dumps


def conntrack_stats(**rises: int) -> list[DumpInput]:
    """conntrack -S before and after."""
    dumps = []
    for when, name in enumerate(("ct-1.txt", "ct-2.txt")):
        row = CounterRow(1, 0, {counter: 5 + by * when for counter, by in rises.items()})
        at_ns = T0_NS + when * 60 * S
        dumps.append(DumpInput(name, None, Dump("conntrack-stats", 1, (), at_ns, "text", counters=(row,))))
    return dumps


def sysctl(**values: str) -> DumpInput:
    """sysctl; `__` in a name stands for a dot."""
    settings = tuple(
        Setting(n, key.replace("__", "."), value) for n, (key, value) in enumerate(values.items(), 1)
    )
    return DumpInput("sysctl.txt", None, Dump("sysctl", 9, (), settings=settings))


def fill(count: int, limit: int) -> DumpInput:
    """nf_conntrack_count and nf_conntrack_max."""
    names = ("net__netfilter__nf_conntrack_count", "net__netfilter__nf_conntrack_max")
    return sysctl(**dict(zip(names, (str(count), str(limit)), strict=True)))


def log(*texts: str) -> DumpInput:
    """dmesg."""
    messages = tuple(KernelMessage(n, 1.0 * n, None, text) for n, text in enumerate(texts, 1))
    return DumpInput("dmesg.txt", None, Dump("kernel-log", 9, (), messages=messages))


def listen(receive_queue: int, send_queue: int, *, port: int = 80) -> DumpInput:
    """ss -lnt."""
    socket = ListenSocket(2, "*", port, receive_queue, send_queue)
    return DumpInput("ss.txt", None, Dump("ss-listen", 2, (), listen_sockets=(socket,)))


def drop_rule(port: int, packets: int | None = None, destination: str = "") -> DumpInput:
    """iptables-save with a rule that drops packets to a port, and has counted so many."""
    to = f"-d {destination}/32 " if destination else ""
    rule = FilterRule(
        4, f"-A FORWARD {to}-p tcp --dport {port} -j DROP", "filter", "FORWARD", "DROP", packets
    )
    return DumpInput(f"iptables-{packets}.txt", None, Dump("iptables-save", 9, (), filter_rules=(rule,)))
