"""Messages in anonymised captures: read as the same messages, with other names, and nothing of their bodies."""

import struct
from pathlib import Path
from typing import Any

from scapy.layers.dns import DNS, DNSQR, DNSRR
from scapy.layers.inet import IP, UDP

from workers.decode.anonymise.dns_text import dns_text
from workers.decode.anonymise.http_text import CredentialsText, head_text
from workers.decode.anonymise.tests.anonymised import PSEUDONYMS, anonymised
from workers.decode.anonymise.tls_text import hello_text
from workers.decode.captures import decode_capture
from workers.decode.tests.capture_bytes import pcap
from workers.decode.tests.conversation import OK, Conversation, get, response, rows
from workers.decode.tests.test_tls_messages import hello

SECRETS = (b"checkout", b"shop", b"hunter2", b"ASIAQ", b"wJalr", b"card=4111", b"a.example")
CREDENTIALS = (
    b'{ "Code" : "Success", "LastUpdated" : "2026-11-21T01:00:00Z", "Type" : "AWS-HMAC", "AccessKeyId" : "ASIAQ7",'
    b' "SecretAccessKey" : "wJalr\\"XU", "Token" : "hunter2", "Expiration" : "2026-11-21T07:11:41Z" }'
)
ROLE = "/latest/meta-data/iam/security-credentials/shop-checkout"


def both(talk: Conversation, folder: Path, snap_bytes: int = 65535) -> tuple[list[dict[str, Any]], Path]:
    """(the rows before, the anonymised file)."""
    before = rows(talk.capture(folder, snap_bytes))
    (folder / "talk").mkdir()
    return before, anonymised(folder / "test.pcap", folder / "talk")


def rows_of(path: Path, table: str = "http") -> list[dict[str, Any]]:
    return rows(decode_capture(path, name="x", sha256="", packets_path=None), table)


TEXTS = ("host", "path", "user_agent", "request_id", "traceparent", "server", "location")


def same(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    assert len(before) == len(after) > 0
    for old, new in zip(before, after, strict=True):
        assert {key for key in old if key not in TEXTS and old[key] != new[key]} == set()
        assert [len(old[key]) for key in TEXTS] == [len(new[key]) for key in TEXTS]


def test_messages_in_pieces_repeated_and_chunked_are_read_as_before(tmp_path: Path) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nServer: nginx/1.25 shop\r\n\r\n"
    chunked += b"8;who=shop\r\ncheckout\r\n10\r\nhunter2 and more\r\n0\r\nX-Trail: shop\r\n\r\n"
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    post = b"POST /shop/v1/orders/17?card=4111 HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 7\r\n\r\nhunter2"
    talk = Conversation()
    talk.ask(get("/checkout/items?user=shop", "User-Agent: shop-client/1.2 Botocore/1.29.1"), [3, 20, 41, 57])
    talk.reply(chunked, [30, 60, 31, 20, 14, 18])
    talk.ask(post).reply(interim + response(b"GET /checkout HTTP/1.1", "Date: Sat, 21 Nov 2026 00:56:51 GMT"))
    talk.ask(get(ROLE) + get("/shop")).reply(
        response(CREDENTIALS, "X-Request-Id: shop-7-checkout"), [100, 90, 127]
    )
    talk.reply(response(b"shop" * 500, "Location: http://shop.example/checkout?x=hunter2")).end()
    before, target = both(talk, tmp_path)
    after = rows_of(target)
    same(before, after)
    assert [row["expiration_ns"] for row in after] == [row["expiration_ns"] for row in before]
    assert max(row["expiration_ns"] for row in after) > 0
    data = target.read_bytes()
    assert not [word for word in SECRETS if word in data]
    assert b"/latest/meta-data/iam/security-credentials/" in data
    assert b"Botocore/1.29.1" in data


def test_out_of_order_repeated_and_missing_segments_are_read_as_before(tmp_path: Path) -> None:
    talk = (
        Conversation()
        .ask(get("/checkout"), [30, 27])
        .reply(response(b"shop" * 30), [50, 60, 50])
        .ask(get("/shop"))
    )
    frames = list(range(1, len(talk.packets) + 1))
    orders = {
        "late": [1, 2, 3, 5, 4, 6, 8, 7, 9],
        "again": [*frames, 5, 6],
        "lost": [n for n in frames if n != 7],
    }
    for name, order in orders.items():
        (tmp_path / name).mkdir()
        one = Conversation()
        one.packets = [(k * 1_000_000, talk.packets[n - 1][1]) for k, n in enumerate(order)]
        before, target = both(one, tmp_path / name)
        same(before, rows_of(target))
        assert b"checkout" not in target.read_bytes()


def test_heads_cut_by_the_snap_length_are_read_as_before(tmp_path: Path) -> None:
    talk = Conversation().ask(get("/latest/meta-data/instance-id")).reply(OK)
    for snap_bytes in (60, 70, 96, 110):
        (tmp_path / str(snap_bytes)).mkdir()
        cut = [(when, packet[:snap_bytes]) for when, packet in talk.packets]
        one = Conversation()
        one.packets = cut
        path = tmp_path / str(snap_bytes) / "test.pcap"
        path.write_bytes(_cut(talk.packets, snap_bytes))
        (tmp_path / str(snap_bytes) / "talk").mkdir()
        before = rows_of(path)
        after = rows_of(anonymised(path, tmp_path / str(snap_bytes) / "talk"))
        if before:
            same(before, after)


def _cut(packets: list[tuple[int, bytes]], snap_bytes: int) -> bytes:
    data = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snap_bytes, 101)
    for when, packet in packets:
        kept = packet[:snap_bytes]
        data += struct.pack("<IIII", *divmod(when, 10**9), len(kept), len(packet)) + kept
    return data


def test_dns_names_and_addresses_are_others_and_lookups_the_same(tmp_path: Path) -> None:
    name = "checkout.shop.svc.cluster.local"
    question: Any = (
        IP(src="10.0.0.1", dst="10.96.0.10") / UDP(sport=40001, dport=53) / DNS(id=7, qd=DNSQR(qname=name))
    )
    records = DNSRR(rrname=name, type="CNAME", rdata="web.shop.example.com") / DNSRR(
        rrname="web.shop.example.com", rdata="203.0.113.77", ttl=30
    )
    answer: Any = (
        IP(src="10.96.0.10", dst="10.0.0.1")
        / UDP(sport=53, dport=40001)
        / DNS(id=7, qr=1, qd=DNSQR(qname=name), an=records, ancount=2)
    )
    path = tmp_path / "dns.pcap"
    path.write_bytes(pcap([(0, bytes(question)), (5, bytes(answer))]))
    target = anonymised(path, tmp_path)
    before, after = rows_of(path, "dns"), rows_of(target, "dns")
    for old, new in zip(before, after, strict=True):
        assert {key for key in old if old[key] != new[key]} <= {"name", "address_low"}
        assert new["name"].endswith(".svc.cluster.local")
    number = int.from_bytes(bytes((203, 0, 113, 77)), "big")
    assert after[1]["address_low"] & 0xFFFFFFFF == PSEUDONYMS.addresses.ipv4(number)
    assert after[0]["name"] == after[1]["name"] != name
    data = target.read_bytes()
    assert not [word for word in (b"checkout", b"shop", bytes((203, 0, 113, 77))) if word in data]


def test_a_dns_message_that_is_cut_or_nonsense_tells_nothing_more() -> None:
    whole = bytes(
        DNS(id=7, qr=1, qd=DNSQR(qname="checkout.shop"), an=DNSRR(rrname="shop", type="TXT", rdata="hunter2"))
    )
    for end in range(len(whole) + 1):
        shown = dns_text(whole[:end], PSEUDONYMS)
        assert len(shown) == end
        assert not [word for word in (b"checkout", b"shop", b"hunter2") if word in shown]
    assert b"hunter2" not in dns_text(b"\xff" * 12 + b"hunter2", PSEUDONYMS)


def test_a_client_hello_keeps_versions_and_loses_the_servers_name(tmp_path: Path) -> None:
    record = hello("checkout.shop.example")
    talk = Conversation().ask(record, [60, len(record) - 60])
    talk.capture(tmp_path)
    (tmp_path / "talk").mkdir()
    target = anonymised(tmp_path / "test.pcap", tmp_path / "talk")
    [before], [after] = rows_of(tmp_path / "test.pcap", "tls"), rows_of(target, "tls")
    assert {key for key in before if before[key] != after[key]} == {"server_name"}
    assert len(after["server_name"]) == len("checkout.shop.example")
    assert b"checkout" not in target.read_bytes()
    assert all(len(hello_text(record[:end], PSEUDONYMS)) == end for end in range(len(record)))


def test_credentials_tell_times_and_the_result_alone() -> None:
    for size in (len(CREDENTIALS),):
        reader = CredentialsText()
        shown = b"".join(reader.take(CREDENTIALS[at : at + size]) for at in range(0, len(CREDENTIALS), size))
        if size == len(CREDENTIALS):
            assert len(shown) == len(CREDENTIALS)
        assert b"2026-11-21T07:11:41Z" in shown
        assert not [word for word in SECRETS if word in shown]


def test_what_is_no_header_becomes_filler() -> None:
    shown = head_text(
        b"GET / HTTP/1.1\r\nAuthorization: Bearer hunter2\r\nX-Shop: checkout\r\nhunter2\r\n\r\n", PSEUDONYMS
    )
    assert shown == (
        b"GET / HTTP/1.1\r\nAuthorization: xxxxxxxxxxxxxx\r\nxxxxxx: xxxxxxxx\r\nxxxxxxx\r\n\r\n"
    )
