"""Rules that a packet passed, events with their layers, logs of proxies, remarks between listings."""

from __future__ import annotations

import pytest

from workers.decode.dumps import parse_dumps
from workers.decode.dumps.remarks import is_remark

XTABLES = """PACKET: 2 b077d09e IN=eth0 MACSRC=02:00:00:00:00:01 MACPROTO=0800 SRC=10.0.0.5 DST=10.0.0.9 LEN=60 TTL=63 SPORT=4 DPORT=443 SYN
 TRACE: 2 b077d09e raw:PREROUTING:rule:0x1b:CONTINUE  -4 -t raw -A PREROUTING -d 10.0.0.9/32 -j TRACE
 TRACE: 2 b077d09e filter:FORWARD:rule:0x3:DROP  -4 -t filter -A FORWARD -j DROP
"""  # noqa: E501 - as printed
NFT = """trace id a95ea7ef ip filter input packet: iif "eth0" ip saddr 10.0.0.5 ip daddr 10.0.0.9 tcp sport 4 tcp dport 443
trace id a95ea7ef ip filter input rule tcp dport 443 drop (verdict drop)
"""  # noqa: E501 - as printed
LAYERS = """Ethernet\t{Contents=[..14..] Payload=[..54..] SrcMAC=02:00:00:00:00:01 DstMAC=02:00:00:00:00:02 EthernetType=IPv4 Length=0}
IPv4\t{Contents=[..20..] Payload=[..32..] Version=4 IHL=5 TTL=64 Protocol=TCP SrcIP=10.0.0.5 DstIP=10.0.0.9 Options=[]}
TCP\t{Contents=[..32..] Payload=[] SrcPort=4 DstPort=443(https) Seq=1 Ack=2 SYN=true}
CPU 01: MARK 0xb7b4dd32 FROM 1833 DROP: 66 bytes, reason Policy denied, identity 5->2
------------------------------------------------------------------------------
"""  # noqa: E501 - as printed
ENVOY = """[2026-11-21 10:56:06.963][285][debug][pool] [source/common/http/conn_pool.cc:97] [C3] using existing connection
12-[2026-11-21 10:56:06.963][285][debug][router] [source/common/router/router.cc:671] [C5] upstream reset: reset reason connection termination
"""  # noqa: E501 - as printed
ACCESS = (
    '{"response_flags":"UC","response_code":503,"method":"GET","path":"/a","upstream_host":"10.0.0.9:80",'
    '"start_time":"2026-11-21T10:56:06.963Z"}\n'
)


@pytest.mark.parametrize("text", [XTABLES, NFT, LAYERS], ids=["xtables-monitor", "nft", "cilium"])
def test_a_dropped_packet_has_its_ends_and_its_rule_or_reason(text: str) -> None:
    (dump,) = parse_dumps(text)
    assert (dump.kind, dump.lines_not_understood) == ("drops", ())
    last = dump.drops[-1]
    assert last.dropped
    assert (last.source, last.source_port, last.destination, last.destination_port) == (
        "10.0.0.5",
        4,
        "10.0.0.9",
        443,
    )
    assert [each.dropped for each in dump.drops[:-1]] == [False] * (len(dump.drops) - 1)
    assert last.protocol == "tcp"
    assert last.place or last.reason == "Policy denied"


def test_a_failure_that_envoy_logs_at_debug_is_an_error() -> None:
    (dump,) = parse_dumps(ENVOY)
    assert [(each.component, each.level) for each in dump.log_messages] == [
        ("envoy", "debug"),
        ("envoy", "error"),
    ]
    (access,) = parse_dumps(ACCESS)
    assert "code=503 response_flags=UC" in access.log_messages[0].text


def test_lines_of_kubectl_logs_with_time_stamps_are_no_kernel_messages() -> None:
    line = "2026-11-21T10:56:06.605360404-05:00 [ERROR] plugin/errors: 2 a.example. A: SERVFAIL\n"
    assert parse_dumps(line)[0].kind == "component-log"


def test_an_entry_in_xml_over_several_lines_is_one_entry() -> None:
    side = (
        '    <meta direction="{}">\n      <layer3 protonum="2" protoname="ipv4">\n        <src>10.0.0.5</src>\n'
        '        <dst>10.0.0.9</dst>\n      </layer3>\n      <layer4 protonum="4" protoname="unknown"></layer4>\n'
        "    </meta>\n"
    )
    text = (
        '<?xml version="1.0" encoding="utf-8"?>\n<conntrack>\n  <flow>\n'
        + side.format("original") + side.format("reply")
        + '    <meta direction="independent">\n      <timeout>597</timeout>\n      <unreplied/>\n    </meta>\n'
        "  </flow>\n</conntrack>\n"
    )  # fmt: skip
    (dump,) = parse_dumps(text)
    assert (dump.kind, dump.lines_not_understood, len(dump.entries.rows)) == ("conntrack-list", (), 1)
    assert next(iter(dump.entries)).timeout_s == 597


@pytest.mark.parametrize(
    "line",
    [
        "When everything is working, I see a conntrack entry:",
        "**Logs**",
        "### After deletion",
        "I cannot curl the same container, i get a timeout",
        "From the capture it is clear that the reply is dropped before it reaches the node that sent the request.",
        "我发现这个问题 已经解决 了",
        "this is the node:",
        "<-- here it stalls",
    ],
)
def test_what_people_write_between_listings_is_no_unknown_line(line: str) -> None:
    assert is_remark(line)


@pytest.mark.parametrize(
    "line",
    [
        "Failed to connect to the backend",
        "Initialized driver module in 12 ms",
        "10.0.0.1 via 10.0.0.2 dev eth0 is up",
        "rx_dropped: 12  tx_dropped: 0",
        "TIME PID COMM SADDR DADDR REASON",
        "worker 3: queue depth 12 of 64",
        "this is no counter",
    ],
)
def test_lines_of_programs_are_no_remarks(line: str) -> None:
    assert not is_remark(line)


def test_a_flow_that_only_drops_is_a_rule_that_drops() -> None:
    text = (
        " cookie=0x0, duration=3510.318s, table=1, n_packets=371, n_bytes=63077, priority=10,ip actions=drop\n"
        "recirc_id(0),in_port(3),eth_type(0x0800), packets:12, bytes:720, used:0.5s, actions:2\n"
    )
    (dump,) = parse_dumps(text)
    assert [(rule.verdict, rule.packets) for rule in dump.filter_rules] == [("DROP", 371), ("", 12)]


def test_messages_of_the_kernel_without_a_time_are_read() -> None:
    (dump,) = parse_dumps("[ipv4: Neighbour table overflow.\nnf_conntrack: table full, dropping packet\n")
    assert (dump.kind, len(dump.messages), dump.lines_not_understood) == ("kernel-log", 2, ())


def test_a_text_may_begin_with_the_second_line_of_a_packet() -> None:
    text = (
        "    10.0.0.5.4 > 10.0.0.9.8472: [bad udp cksum 0x20dd -> 0x8d74!] "
        "OTV, flags [I] (0x08), overlay 0, instance 1\n"
        "IP (tos 0x0, ttl 63, id 18953, offset 0, flags [DF], proto TCP (6), length 60)\n"
        "    10.1.0.5.4 > 10.1.0.9.80: Flags [S], seq 3632745089, win 28200, length 0\n"
    )
    (dump,) = parse_dumps(text)
    assert (dump.kind, dump.lines_not_understood, dump.wrong_tunnel_checksums) == ("tcpdump-text", (), (1,))
