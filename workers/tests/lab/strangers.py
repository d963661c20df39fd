"""Evidence that has nothing to do with an incident: somebody else's healthy capture and listings of another host."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.utils import PcapWriter

from workers.tests.lab.evidence import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scapy.packet import Packet

CLIENT, SERVER = "192.0.2.10", "192.0.2.20"
CLIENT_MAC, SERVER_MAC = "02:00:5e:00:53:0a", "02:00:5e:00:53:14"
CONVERSATIONS = 40
ANSWER_S, PAUSE_S = 0.0004, 0.11
_DAY = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def strangers(files: tuple[Path, ...], scratch: Path) -> Iterator[tuple[str, list[Path]]]:
    """(what it is, its files): each of them changes no verdict on `files`."""
    started = _started(files)
    yield "an unrelated capture", [_healthy_capture(scratch / "stranger.pcap", started)]
    yield (
        "an unrelated capture of another day",
        [_healthy_capture(scratch / "stranger-later.pcap", started + 86_400)],
    )
    yield "an unrelated host at rest", _listings(scratch, "calm", started, rise=0)
    yield "an unrelated host in trouble", _listings(scratch, "busy", started, rise=400)


def _started(files: tuple[Path, ...]) -> float:
    times = [
        each.capture.first_ns / 1e9
        for path in files
        if (each := read(path)) is not None and each.capture is not None and each.capture.packets
    ]
    return min(times, default=_DAY)


def _healthy_capture(path: Path, started: float) -> Path:
    with PcapWriter(str(path), nano=True, sync=True) as writer:
        for number in range(CONVERSATIONS):
            for after, packet in enumerate(_conversation(number)):
                packet.time = started + number * PAUSE_S + after * ANSWER_S
                writer.write(packet)
    return path


def _conversation(number: int) -> Iterator[Packet]:
    """A handshake, a question, an answer, a close."""
    port, asked, answered = 41_000 + 3 * number, 7_000 * number + 11, 9_000 * number + 17
    question, answer = b"q" * 120, b"a" * 900

    def forth(flags: str, seq: int, ack: int, payload: bytes = b"") -> Packet:
        segment = TCP(sport=port, dport=8080, flags=flags, seq=seq, ack=ack, window=502)
        head = IP(src=CLIENT, dst=SERVER, id=(number * 16 + seq) & 0xFFFF, flags="DF")
        return Ether(src=CLIENT_MAC, dst=SERVER_MAC) / head / segment / payload

    def back(flags: str, seq: int, ack: int, payload: bytes = b"") -> Packet:
        segment = TCP(sport=8080, dport=port, flags=flags, seq=seq, ack=ack, window=502)
        head = IP(src=SERVER, dst=CLIENT, id=(number * 16 + seq) & 0xFFFF, flags="DF")
        return Ether(src=SERVER_MAC, dst=CLIENT_MAC) / head / segment / payload

    after_question, after_answer = asked + 1 + len(question), answered + 1 + len(answer)
    yield forth("S", asked, 0)
    yield back("SA", answered, asked + 1)
    yield forth("A", asked + 1, answered + 1)
    yield forth("PA", asked + 1, answered + 1, question)
    yield back("A", answered + 1, after_question)
    yield back("PA", answered + 1, after_question, answer)
    yield forth("A", after_question, after_answer)
    yield forth("FA", after_question, after_answer)
    yield back("FA", after_answer, after_question + 1)
    yield forth("A", after_question + 1, after_answer + 1)


def _listings(scratch: Path, name: str, started: float, rise: int) -> list[Path]:
    """A session before and one after, as an operator keeps them."""
    paths = []
    for moment, at, more in (("before", started - 2, 0), ("after", started + 30, rise)):
        path = scratch / f"{name}-{moment}.txt"
        path.write_text(_session(f"stranger-{name}", at, more))
        paths.append(path)
    return paths


def _session(host: str, at: float, more: int) -> str:
    when = f"{datetime.fromtimestamp(at, UTC):%a %b %e %H:%M:%S UTC %Y}"
    prompt = f"root@{host}:~#"
    return f"""\
{prompt} date -u
{when}
{prompt} ip addr
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: enp9s0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP group default qlen 1000
    link/ether 02:00:5e:00:53:77 brd ff:ff:ff:ff:ff:ff
    inet 192.0.2.77/24 brd 192.0.2.255 scope global enp9s0
       valid_lft forever preferred_lft forever
{prompt} nstat -az
#kernel
IpInReceives                    {90_000 + 9 * more}              0.0
TcpActiveOpens                  {700 + more}                0.0
TcpRetransSegs                  {31 + more}                 0.0
TcpExtListenOverflows           {3 + more}                  0.0
TcpExtListenDrops               {3 + more}                  0.0
TcpExtTCPBacklogDrop            {1 + more}                  0.0
TcpExtIPReversePathFilter       {2 + more}                  0.0
TcpExtPAWSPassive               {more}                  0.0
{prompt} conntrack -S
cpu=0   \tfound=10 invalid={5 + more} insert=0 insert_failed={2 + more} drop={2 + more} early_drop={more} error=0 \
search_restart=4
cpu=1   \tfound=11 invalid={7 + more} insert=0 insert_failed={more} drop={more} early_drop=0 error=0 search_restart=9
{prompt} ip neigh
192.0.2.1 dev enp9s0 lladdr 02:00:5e:00:53:01 REACHABLE
"""
