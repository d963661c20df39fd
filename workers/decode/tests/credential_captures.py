"""Captures in which keys and tokens travel, whole and damaged; and a search for what is left of them."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
from scapy.layers.inet import IP, TCP, fragment
from scapy.layers.inet6 import IPv6, IPv6ExtHdrFragment, fragment6
from scapy.layers.l2 import Ether

from workers.decode.tests.capture_bytes import MS, pcap

PIECE: Final = 8  # characters of a secret that must not be left in a row
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_ETHER: Final = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
_random: Final = random.Random(13)


def _secret(count: int, letters: str = _LETTERS) -> str:
    return "".join(_random.choice(letters) for _ in range(count))


@dataclass(frozen=True)
class Service:
    """Who asks for credentials where, and what is answered."""

    name: str
    address: str
    v6_address: str
    port: int
    requests: tuple[bytes, ...]
    """All but the last are answered by a token alone."""
    token: str
    kind: str
    body: bytes
    secrets: tuple[str, ...]


def _request(line: str, host: str, *headers: str, body: str = "") -> bytes:
    length = (f"Content-Length: {len(body)}",) if body else ()
    lines = [f"{line} HTTP/1.1", f"Host: {host}", "User-Agent: Botocore/1.29.0", *headers, *length, "", body]
    return "\r\n".join(lines).encode()


def _keys() -> dict[str, str]:
    return {
        "AccessKeyId": "ASIA" + _secret(16, _LETTERS[:26]),
        "SecretAccessKey": _secret(38) + "/" + _secret(1),
        "Token": _secret(300),
    }


def _aws(name: str, *, v2: bool) -> Service:
    keys, token = _keys(), _secret(52) + "=="
    shown = {"Code": "Success", "Type": "AWS-HMAC", **keys, "Expiration": "2026-11-21T01:11:41Z"}
    put = _request("PUT /latest/api/token", "169.254.169.254", "X-aws-ec2-metadata-token-ttl-seconds: 21600")
    sent = (f"X-aws-ec2-metadata-token: {token}",) if v2 else ()
    ask = _request("GET /latest/meta-data/iam/security-credentials/role", "169.254.169.254", *sent)
    return Service(
        name, "169.254.169.254", "fd00:ec2::254", 80, (put, ask) if v2 else (ask,), token,
        "text/plain", json.dumps(shown, indent=2).encode(), (*keys.values(), *((token,) if v2 else ())),
    )  # fmt: skip


def _ecs() -> Service:
    keys = _keys()
    body = {"RoleArn": "arn:aws:iam::1:role/task", **keys, "Expiration": "2026-11-21T01:11:41Z"}
    path = "GET /v2/credentials/" + _secret(36, "0123456789abcdef")
    return Service(
        "ecs", "169.254.170.2", "fd00:10::2", 80, (_request(path, "169.254.170.2"),), "",
        "application/json", json.dumps(body).encode(), tuple(keys.values()),
    )  # fmt: skip


def _eks() -> Service:
    keys, token = _keys(), "eyJ" + _secret(400)
    body = {**keys, "AccountId": "1", "Expiration": "2026-11-21T01:11:41Z"}
    ask = _request("GET /v1/credentials", "169.254.170.23", f"Authorization: {token}")
    return Service(
        "eks", "169.254.170.23", "fd00:ec2::23", 80, (ask,), "", "application/json",
        json.dumps(body).encode(), (*keys.values(), token),
    )  # fmt: skip


def _gcp() -> Service:
    token = "ya29." + _secret(200)
    body = {"access_token": token, "expires_in": 3599, "token_type": "Bearer"}
    path = "GET /computeMetadata/v1/instance/service-accounts/default/token"
    ask = _request(path, "metadata.google.internal", "Metadata-Flavor: Google")
    return Service(
        "gcp", "169.254.169.254", "fd20:ce::254", 80, (ask,), "", "application/json",
        json.dumps(body).encode(), (token,),
    )  # fmt: skip


def _azure() -> Service:
    token = "eyJ" + _secret(500)
    body = {"access_token": token, "expires_in": "86399", "resource": "https://vault.azure.net"}
    path = "GET /metadata/identity/oauth2/token?api-version=2018-02-01&resource=https://vault.azure.net"
    return Service(
        "azure", "169.254.169.254", "fd00:10::3", 80, (_request(path, "169.254.169.254", "Metadata: true"),),
        "", "application/json", json.dumps(body).encode(), (token,),
    )  # fmt: skip


def _sts() -> Service:
    keys, signature = _keys(), _secret(64, "0123456789abcdef")
    inner = "".join(f"<{k.replace('Token', 'SessionToken')}>{v}</{k}>\n" for k, v in keys.items())
    body = f'<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">\n<Credentials>\n{inner}'
    ask = _request(
        "POST /", "sts.us-east-1.amazonaws.com", f"Authorization: AWS4-HMAC-SHA256 Signature={signature}",
        body="Action=AssumeRole&RoleArn=arn&RoleSessionName=s",
    )  # fmt: skip
    return Service(
        "sts",
        "10.1.2.3",
        "fd00:10::4",
        80,
        (ask,),
        "",
        "text/xml",
        body.encode(),
        (*keys.values(), signature),
    )


def _oauth() -> Service:
    secret, token = _secret(40), _secret(120)
    form = f"client_id=app&client_secret={secret}&grant_type=client_credentials"
    ask = _request(
        "POST /realm/connect", "idp.example", "Content-Type: application/x-www-form-urlencoded", body=form
    )
    body = json.dumps({"access_token": token, "token_type": "Bearer"}).encode()
    return Service(
        "oauth", "10.1.2.9", "fd00:10::5", 8080, (ask,), "", "application/json", body, (secret, token)
    )


SERVICES: Final = (
    _aws("imds-v1", v2=False), _aws("imds-v2", v2=True), _ecs(), _eks(), _gcp(), _azure(), _sts(), _oauth(),
)  # fmt: skip


@dataclass
class Talk:
    """One connection's packets, made as they are sent."""

    service: Service
    v6: bool = False
    client: str = "10.0.0.5"
    packets: list[Any] = field(default_factory=list)
    next: list[int] = field(default_factory=lambda: [1001, 5001])

    def packet(self, flags: str, payload: bytes, *, back: bool, sequence: int | None = None) -> None:
        """Appends one packet; `sequence` for one that was sent before."""
        ends = ["fd00:10::1", self.service.v6_address] if self.v6 else [self.client, self.service.address]
        ports = [40000, self.service.port]
        if back:
            ends.reverse()
            ports.reverse()
        at = self.next[back] if sequence is None else sequence
        head = TCP(sport=ports[0], dport=ports[1], flags=flags, seq=at, ack=self.next[not back])
        ip: Any = IPv6 if self.v6 else IP
        number = {} if self.v6 else {"id": len(self.packets) + 1}
        self.packets.append(_ETHER / ip(src=ends[0], dst=ends[1], **number) / head / payload)
        if sequence is None:
            self.next[back] += len(payload) + (1 if "S" in flags or "F" in flags else 0)

    def open(self) -> Talk:
        """The handshake."""
        self.next = [1000, 5000]
        self.packet("S", b"", back=False)
        self.packet("SA", b"", back=True)
        self.packet("A", b"", back=False)
        return self

    def say(self, data: bytes, *cuts: int, back: bool) -> Talk:
        """Data in segments."""
        for begin, end in pairwise([0, *cuts, len(data)]):
            self.packet("PA", data[begin:end], back=back)
        return self


def answer_of(service: Service, *headers: str, body: bytes | None = None) -> bytes:
    """The last answer, with its length stated unless `headers` state another framing."""
    body = service.body if body is None else body
    framing = headers or (f"Content-Length: {len(body)}",)
    lines = ["HTTP/1.1 200 OK", f"Content-Type: {service.kind}", "Server: EC2ws", *framing, "", ""]
    return "\r\n".join(lines).encode() + body


def asked(service: Service, *, v6: bool = False) -> Talk:
    """A connection up to the last request."""
    talk = Talk(service, v6=v6).open()
    for request in service.requests[:-1]:
        talk.say(request, back=False).say(answer_of(service, body=service.token.encode()), back=True)
    return talk.say(service.requests[-1], back=False)


def _inside(answer: bytes, service: Service) -> int:
    """In the middle of the longest secret of the answer, nearer to its beginning."""
    longest = max((s for s in service.secrets if s.encode() in answer), key=len)
    return answer.index(longest.encode()) + len(longest) // 3


def _plain(service: Service) -> list[Any]:
    answer = answer_of(service)
    cut = _inside(answer, service)
    talk = asked(service).say(answer, cut, back=True)
    begin = talk.next[1] - len(answer)
    talk.packet("PA", answer[cut - 20 : cut + 30], back=True, sequence=begin + cut - 20)
    return talk.packets


def _gzip(service: Service) -> list[Any]:
    body = gzip.compress(service.body)
    lengths = (f"Content-Length: {len(body)}", "Content-Encoding: gzip")
    return asked(service).say(answer_of(service, *lengths, body=body), back=True).packets


def _lost_first(service: Service) -> list[Any]:
    answer = answer_of(service)
    packets = asked(service).say(answer, len(answer) - len(service.body) + 3, back=True).packets
    return [*packets[:-2], packets[-1]]


def _lost_in_name(service: Service) -> list[Any]:
    answer = answer_of(service)
    found = re.search(rb"SecretAccessKey|access_token", answer)
    assert found is not None
    packets = asked(service).say(answer, found.start() + 3, found.start() + 8, back=True).packets
    return [*packets[:-2], packets[-1]]


def _lost_request(service: Service) -> list[Any]:
    packets = asked(service).packets
    whole = Talk(service)
    whole.next = [9001, 5001]
    return [*packets[:3], *whole.say(answer_of(service), back=True).packets]


def _begins_inside(service: Service) -> list[Any]:
    answer = answer_of(service)
    at = len(answer) - len(service.body) + 2
    return Talk(service).say(answer[at:], len(answer[at:]) // 2, back=True).packets


def pieces_of(packet: Any, size: int) -> list[Any]:
    """Its fragments; `size`: bytes of payload of IPv4, of the packet of IPv6."""
    split: Any = fragment6 if IPv6 in packet else fragment
    parts: list[Any] = split(packet, size)
    return parts


def _fragments(service: Service, *, v6: bool, without_first: bool = False) -> list[Any]:
    packets: list[Any] = []
    for packet in asked(service, v6=v6).say(answer_of(service), back=True).packets:
        if len(packet[TCP].payload) < 64:
            packets.append(packet)
            continue
        if v6:
            ip = packet[IPv6]
            parts = pieces_of(
                IPv6(src=ip.src, dst=ip.dst) / IPv6ExtHdrFragment(id=len(packets), nh=6) / ip.payload, 160
            )
            parts = [_ETHER / part for part in parts]
        else:
            parts = pieces_of(packet, 96)
        packets += parts[1:] if without_first else parts
    return packets


def _folded(service: Service) -> list[Any]:
    secret = service.secrets[-1]
    last = service.requests[-1].replace(
        b"\r\nUser-Agent", b"\r\nAuthorization:\r\n Bearer\r\n\t%s\r\nUser-Agent"
    )
    assert b"\t%s" in last
    folded = replace(service, requests=(*service.requests[:-1], last.replace(b"%s", secret.encode())))
    return asked(folded).say(answer_of(service), back=True).packets


def _long_chunk_sizes(service: Service) -> list[Any]:
    body, half = service.body, _inside(service.body, service)
    chunks = b"".join(b"%012x\r\n%s\r\n" % (len(p), p) for p in (body[:half], body[half:], b""))
    answer = answer_of(service, "Transfer-Encoding: chunked", body=chunks)
    return asked(service).say(answer, len(answer) // 2, back=True).packets


def _escaped(service: Service) -> list[Any]:
    body = re.sub(rb"Access|access|Token", lambda m: b"\\u%04x" % m[0][0] + m[0][1:], service.body)
    return asked(service).say(answer_of(service, body=body), back=True).packets


DAMAGES: Final[dict[str, Callable[[Service], list[Any]]]] = {
    "plain": _plain,
    "gzip": _gzip,
    "lost-first-segment": _lost_first,
    "lost-in-name": _lost_in_name,
    "lost-request": _lost_request,
    "snapped": _plain,
    "begins-inside": _begins_inside,
    "fragments-v4": lambda service: _fragments(service, v6=False),
    "fragments-v6": lambda service: _fragments(service, v6=True),
    "folded": _folded,
    "long-chunk-sizes": _long_chunk_sizes,
    "escaped-names": _escaped,
}


def captures() -> Iterator[tuple[str, list[Any], int]]:
    """(name, packets, snap length) of every damage to every service."""
    for service in SERVICES:
        for damage, make in DAMAGES.items():
            packets = make(service)
            snap = (
                max(len(p) for p in packets) - len(service.secrets[0]) // 2 if damage == "snapped" else 65535
            )
            yield f"{service.name}-{damage}", packets, snap


def file_of(packets: Iterable[Any], snap_bytes: int = 65535) -> bytes:
    """As a pcap file."""
    return pcap([(n * MS, bytes(p)) for n, p in enumerate(packets)], link_type=1, snap_bytes=snap_bytes)


def secrets() -> tuple[str, ...]:
    """Of all services."""
    return tuple(secret for service in SERVICES for secret in service.secrets)


class Search:
    """Looks for pieces of secrets in any bytes: as they are, in base64 and hex, in UTF-16, escaped, and packed."""

    def __init__(self, wanted: Iterable[str]) -> None:
        pieces: set[bytes] = set()
        for secret in wanted:
            raw = secret.encode()
            pieces |= _pieces(raw, PIECE)
            pieces |= _pieces(raw.hex().encode(), 2 * PIECE) | _pieces(raw.hex().upper().encode(), 2 * PIECE)
            pieces |= _pieces(secret.encode("utf-16-le"), 2 * PIECE)
            pieces |= _pieces(raw.replace(b"/", b"\\/"), PIECE) | _pieces(
                raw.replace(b"/", b"\\u002f"), PIECE
            )
            for skip in range(3):
                part = raw[skip : skip + (len(raw) - skip) // 3 * 3]
                pieces |= _pieces(base64.b64encode(part).rstrip(b"="), 12)
        self._by_start: dict[int, list[bytes]] = {}
        for piece in pieces:
            self._by_start.setdefault(int.from_bytes(piece[:8], "little"), []).append(piece)
        self._starts = np.array(sorted(self._by_start), np.uint64)

    def found_in(self, data: bytes) -> bytes:
        """A piece that is in the data; empty when none is."""
        for content in (data, *_unpacked(data)):
            piece = self._piece_in(content)
            if piece:
                return piece
        return b""

    def _piece_in(self, data: bytes) -> bytes:
        if len(data) < 8:
            return b""
        windows = np.lib.stride_tricks.sliding_window_view(np.frombuffer(data, np.uint8), 8)
        words = np.ascontiguousarray(windows).view("<u8").reshape(-1)
        at = np.minimum(np.searchsorted(self._starts, words), len(self._starts) - 1)
        for place in np.flatnonzero(self._starts[at] == words).tolist():
            for piece in self._by_start[int(words[place])]:
                if data.startswith(piece, place):
                    return piece
        return b""


def _pieces(data: bytes, size: int) -> set[bytes]:
    return {data[at : at + size] for at in range(len(data) - size + 1)}


def _unpacked(data: bytes) -> Iterator[bytes]:
    for match in re.finditer(rb"\x1f\x8b\x08", data):
        try:
            yield zlib.decompressobj(31).decompress(data[match.start() :])
        except zlib.error:
            continue


@cache
def search() -> Search:
    """For the secrets of all services."""
    return Search(secrets())
