"""What a fuzzer begins with: one small input of each kind that the decoder knows."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from scapy.layers.dns import DNS, DNSQR, DNSRR
from scapy.layers.inet import IP, TCP, UDP
from scapy.utils import RawPcapReader

from workers.decode.tests.capture_bytes import block, enhanced, handshake, interface, pcap, section
from workers.decode.tests.encapsulations import ENCAPSULATIONS
from workers.decode.tests.fuzz.inputs import LINK_TYPES, as_conversation, as_packets, packet_capture
from workers.decode.tests.packed_bytes import PACKERS

_DUMP_SAMPLES: Final = Path(__file__).parents[2] / "dumps/tests/samples"
_REGRESSIONS: Final = Path(__file__).parent / "samples"
_LONGEST: Final = 4096
_PACKETS_OF_A_CAPTURE: Final = 24

_EXCHANGES: Final = (
    (b"GET /v1/items?id=7 HTTP/1.1\r\nHost: shop\r\nUser-Agent: curl/8\r\n\r\n",
     b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\n\r\nhello"),
    (b"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
     b"HTTP/1.1 100 Continue\r\n\r\n"
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nabcd\r\n0\r\nT: 1\r\n\r\n"),
    (b"PUT /latest/api/token HTTP/1.1\r\nX-aws-ec2-metadata-token-ttl-seconds: 21600\r\n\r\n",
     b"HTTP/1.0 200 OK\r\nX-Aws-Ec2-Metadata-Token-Ttl-Seconds: 21600\r\n\r\nQUJD"),
    (b"GET /latest/meta-data/iam/security-credentials/role HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n",
     b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"Code\" : \"Success\", \"LastUpdated\" : "
     b"\"2026-11-21T10:00:00Z\", \"AccessKeyId\" : \"A\", \"Expiration\" : \"2026-11-21T11:00:00Z\"}"),
    (b"HEAD / HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n", b"HTTP/1.1 304 Not Modified\r\n\r\nHTTP/1.1 204 No\r\n\r\n"),
)  # fmt: skip
_CLIENT_HELLO: Final = bytes.fromhex(
    "160301004f0100004b0303" + "11" * 32 + "00000213010100002000000010000e00000b6578616d706c652e636f6d"
    "002b0003020304000a000400020017"
)


def seeds(target: str) -> Iterator[bytes]:
    """Inputs for this target: regressions, what is written here, then parts of $STALLSCOPE_EXTRA_CAPTURES."""
    for sample in sorted((_REGRESSIONS / target).glob("*")):
        yield sample.read_bytes()
    yield from {"containers": _containers, "packets": _packets, "messages": _messages, "dumps": _dumps}[
        target
    ]()


def _dumps() -> Iterator[bytes]:
    paths = sorted(_DUMP_SAMPLES.glob("*"))
    for path in paths:
        yield path.read_bytes()[:_LONGEST]
    together = b"".join(b"node-1:~# cat x\n" + path.read_bytes()[:300] + b"\n" for path in paths[::5])
    yield together[:_LONGEST]
    for path in _extra("*.txt"):
        yield path.read_bytes()[:_LONGEST]


def _messages() -> Iterator[bytes]:
    for request, response in _EXCHANGES:
        yield as_conversation(80, False, [(0, request), (1, response)])
        halves = [(0, request[:30]), (0, request[30:]), (1, response[:25]), (1 | 4, response[25:]), (17, b"")]
        yield as_conversation(8080, False, halves)
    query = DNS(id=7, rd=1, qd=DNSQR(qname="shop.default.svc.cluster.local", qtype="AAAA"))
    answer = DNS(id=7, qr=1, qd=query.qd, an=DNSRR(rrname="shop.default.svc.cluster.local", rdata="10.0.0.9"))
    yield as_conversation(53, True, [(0, bytes(query)), (1, bytes(answer))])
    framed = [len(bytes(part)).to_bytes(2) + bytes(part) for part in (query, answer)]
    yield as_conversation(53, False, [(0, framed[0]), (1, framed[1])])
    yield as_conversation(443, False, [(0, _CLIENT_HELLO), (1, bytes.fromhex("15030300020228"))])


def _packets() -> Iterator[bytes]:
    syn = IP(src="10.0.0.1", dst="10.0.0.2", id=3) / TCP(sport=40_000, dport=80, flags="S", seq=7)
    data = IP(src="10.0.0.1", dst="10.0.0.2", id=4) / TCP(sport=40_000, dport=80, flags="PA", seq=8) / b"abc"
    query = IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=40_000, dport=53) / (b"x" * 12)
    for form in ENCAPSULATIONS:
        if form.link_type in LINK_TYPES and form.only != 6:
            yield as_packets(form.link_type, [bytes(form.write(packet, 5)) for packet in (syn, data, query)])
    for path in _extra("*.pcap"):
        yield from _from_capture(path)


def _from_capture(path: Path) -> Iterator[bytes]:
    """The first packets of a capture of somebody else's."""
    try:
        with path.open("rb") as stream, RawPcapReader(stream) as reader:  # type: ignore[arg-type]
            link_type = int(getattr(reader, "linktype", -1))
            frames = [bytes(frame[0]) for frame, _ in zip(reader, range(_PACKETS_OF_A_CAPTURE), strict=False)]
    except Exception:  # scapy gives up on damage with whatever comes
        return
    if link_type in LINK_TYPES and frames:
        yield as_packets(link_type, frames)[: 2 * _LONGEST]


def _containers() -> Iterator[bytes]:
    plain = pcap(handshake())
    frames = [enhanced(0, 1000 * number, packet) for number, (_, packet) in enumerate(handshake())]
    blocks = section() + interface("eth0") + b"".join(frames)
    mixed = blocks + section(">") + interface("eth1", order=">") + block(5, b"\0" * 12, ">")
    snoop = b"snoop\0\0\0" + (2).to_bytes(4) + (4).to_bytes(4)
    texts = b"cpu=0   \tfound=0 invalid=6 insert=0 insert_failed=1 drop=1 early_drop=0 error=0 search_restart=0 \n"
    yield from (plain, blocks, mixed, snoop, texts, packet_capture(b""))
    for pack in PACKERS.values():
        yield pack(plain)
        yield pack(plain)[:-7]
    yield _tar(plain, texts)
    yield PACKERS["gzip"](_tar(plain, texts))
    yield _zip(plain, texts)
    for path in _extra("*.pcap*"):
        if path.stat().st_size <= _LONGEST:
            yield path.read_bytes()


def _tar(capture: bytes, text: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in (("node/a.pcap", capture), ("../conntrack.txt", text)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def _zip(capture: bytes, text: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.pcap", capture)
        archive.writestr("b/c.txt", text)
    return stream.getvalue()


def _extra(pattern: str) -> list[Path]:
    """Small files of a folder of others' captures and dumps, when one is named."""
    named = os.environ.get("STALLSCOPE_EXTRA_CAPTURES", "")
    return sorted(path for path in Path(named).rglob(pattern) if path.is_file()) if named else []
