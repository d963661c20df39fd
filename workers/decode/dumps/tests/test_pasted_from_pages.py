"""Texts as web pages, editors and people change them: entities, bold words, code blocks, counts, traces."""

from __future__ import annotations

import pytest

from backend.forensics.dumps import Dump
from workers.decode.dumps import parse_dump_bytes, parse_dumps
from workers.decode.dumps.web_text import as_typed, typed_line

PACKET = "10:00:00.000001 IP 10.0.0.1.40000 > 10.0.0.2.80: Flags [S], seq 1, win 64240, length 0\n"
NETSTAT = """Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name
tcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN      769/sshd
tcp        0    258 localhost:46654         localhost:5000          FIN_WAIT1   -
tcp6       1      0 fd00::1:9482            fd00::2:51455           CLOSE_WAIT  2647/java
udp        0      0 0.0.0.0:68              0.0.0.0:*                           900/dhclient
"""


def only(text: str) -> Dump:
    (dump,) = parse_dumps(text)
    assert dump.lines_not_understood == ()
    return dump


def test_entities_and_spaces_that_do_not_break_are_undone_in_blocks_of_any_size() -> None:
    text = "a &gt; b\u00a0c &amp; **FAILED** _**STALE**_ d".encode()
    for size in range(1, len(text) + 1):
        blocks = [text[at : at + size] for at in range(0, len(text), size)]
        # A word in bold that lies across two blocks stays as it is.
        assert b"".join(as_typed(blocks)).replace(b"_", b"").replace(b"*", b"") == b"a > b c & FAILED STALE d"
    assert b"".join(as_typed([text])) == b"a > b c & FAILED STALE d"
    assert typed_line("10.0.0.1 dev eth0  _**FAILED**_") == "10.0.0.1 dev eth0  FAILED"


def test_a_heading_in_bold_and_other_stars_stay() -> None:
    assert typed_line("**Interface**") == "**Interface**"
    assert typed_line(" 1  * * *") == " 1  * * *"


def test_printed_packets_are_read_from_html() -> None:
    assert only(PACKET.replace(">", "&gt;")).kind == only(PACKET).kind == "tcpdump-text"


def test_netstat_prints_sockets_with_names_and_processes() -> None:
    dump = only(NETSTAT)
    assert [(s.state, s.receive_queue, s.send_queue) for s in dump.tcp_sockets] == [
        ("FIN-WAIT-1", 0, 258),
        ("CLOSE-WAIT", 1, 0),
    ]
    name, address = dump.tcp_sockets
    assert (name.local, name.local_port, name.peer, name.peer_port) == ("*", 46654, "localhost", 5000)
    assert (address.local, address.peer, address.peer_port) == ("fd00::1", "fd00::2", 51455)
    assert dump.listen_sockets == ()  # netstat prints no backlog


@pytest.mark.parametrize("line", ["CLOSE_WAIT 710", "    710 CLOSE_WAIT", "CLOSE-WAIT: 710"])
def test_sockets_counted_by_state(line: str) -> None:
    (row,) = only(line + "\n").gauges
    assert row.counters == {"tcp_close_wait": 710}


def test_an_error_and_its_stack_trace() -> None:
    text = "java.net.SocketException: Connection reset\n\tat java.net.SocketInputStream.read(S:1)\nCaused by: x\n"
    (message,) = only(text).log_messages
    assert (message.level, message.line) == ("error", 1)


def test_a_sentence_that_quotes_an_error_is_no_log_line() -> None:
    assert parse_dumps("I get connection refused from my pod: what can I do?\n") == []


def test_outside_of_code_blocks_people_write() -> None:
    text = f"Curling fails:\nnot ok\n```\n{PACKET}odd line\n```\nstill bad\n"
    (dump,) = parse_dump_bytes(text.encode())
    assert dump.lines_not_understood == (5,)


def test_a_text_that_begins_inside_of_a_code_block_hides_nothing() -> None:
    text = f"odd line\n{PACKET}```\n\n```text\nodd, too\n```\n"
    (dump,) = parse_dump_bytes(text.encode())
    assert 1 in dump.lines_not_understood


def test_resolver_configuration() -> None:
    dump = only("nameserver 10.96.0.10\nsearch svc.cluster.local cluster.local\noptions ndots:5\n")
    assert [(s.key, s.value) for s in dump.settings][-1] == ("resolv.options", "ndots:5")
    assert parse_dumps("search the logs for errors\n") == []


def test_ping_names_the_mtu_of_the_path() -> None:
    text = (
        "PING 10.0.0.7 (10.0.0.7) 1472(1500) bytes of data.\n"
        "From 10.0.0.1 icmp_seq=1 Frag needed and DF set (mtu = 1440)\n"
        "ping: local error: message too long, mtu=1400\n"
    )
    (series,) = only(text).probe_series
    assert (series.data_bytes, series.path_mtu) == (1472, 1400)


def test_grpc_core_and_json_logs() -> None:
    core = "I0000 00:00:1754611629.299123    1008 chttp2_transport.cc:1287] Got goaway [11]\n"
    assert only(core).log_messages[0].text == "Got goaway [11]"
    json = '{"@timestamp":"2023-05-13 09:40:42","caller":"rpclogger.go:30","content":"i/o timeout","level":"error"}\n'
    (message,) = only(json).log_messages
    assert (message.level, message.text) == ("error", "i/o timeout")
