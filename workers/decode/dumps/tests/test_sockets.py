from backend.forensics.dumps import ListenSocket
from workers.decode.dumps import parse_dumps

LISTENING = """\
State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess
LISTEN 129    128          0.0.0.0:2024      0.0.0.0:*    users:(("sshd",pid=1,fd=3))
LISTEN 0      4096               *:80              *:*
LISTEN 0      511             [::1]:8911         [::]:*
LISTEN 0      4096  127.0.0.53%lo:53        0.0.0.0:*
"""
DETAILED = """\
State Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
ESTAB 0      67259      127.0.0.1:58402    127.0.0.1:43633
     cubic wscale:10,10 rto:204 rtt:0.03/0.013 mss:1448 cwnd:11 bytes_retrans:34518 \
bbr:(bw:15bps,mrtt:0.025) send 139bps app_limited busy:12ms unacked:2 retrans:0/3 lost:1
SYN-SENT 0   1          10.0.0.1:50000     10.0.0.2:80
"""
SUMMARY = """\
Total: 1024
TCP:   37 (estab 4, closed 20, orphaned 0, timewait 18)

Transport Total     IP        IPv6
RAW	  0         0         0
TCP	  17        12        5
"""


def test_listening_sockets_tell_their_queue_and_backlog() -> None:
    (dump,) = parse_dumps(LISTENING)
    assert (dump.kind, dump.lines_not_understood) == ("ss-sockets", ())
    assert dump.listen_sockets == (
        ListenSocket(2, "0.0.0.0", 2024, 129, 128),
        ListenSocket(3, "*", 80, 0, 4096),
        ListenSocket(4, "::1", 8911, 0, 511),
        ListenSocket(5, "127.0.0.53", 53, 0, 4096),
    )


def test_the_second_line_belongs_to_the_socket_above() -> None:
    (dump,) = parse_dumps(DETAILED)
    assert dump.lines_not_understood == ()
    first, second = dump.tcp_sockets
    assert (first.line, first.state, first.send_queue, first.peer, first.peer_port) == (
        2,
        "ESTAB",
        67_259,
        "127.0.0.1",
        43_633,
    )
    expected = {
        "rto": 204,
        "rtt": 0.03,
        "rttvar": 0.013,
        "retrans": 0,
        "retrans_total": 3,
        "lost": 1,
        "busy": 12,
    }
    assert {name: first.metrics[name] for name in expected} == expected
    assert {"cubic", "app_limited"} <= set(first.words)
    assert (second.line, second.state, second.metrics) == (4, "SYN-SENT", {})


def test_a_listing_of_one_state_has_no_column_for_it() -> None:
    text = "Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n0      0          10.0.0.1:22       10.0.0.2:5\n"
    (dump,) = parse_dumps(text)
    assert dump.lines_not_understood == ()
    assert dump.tcp_sockets[0].state == ""


def test_a_socket_cut_short_is_not_understood() -> None:
    (dump,) = parse_dumps(LISTENING + "LISTEN 0      4096               *:\n")
    assert dump.lines_not_understood == (6,)


def test_the_summary_is_sizes() -> None:
    (dump,) = parse_dumps(SUMMARY)
    assert (dump.kind, dump.lines_not_understood) == ("ss-summary", ())
    values = {name: (row.line, value) for row in dump.gauges for name, value in row.counters.items()}
    assert values["tcp_timewait"] == (2, 18)
    assert (values["sockets"], values["tcp_ipv6"]) == ((1, 1024), (6, 5))
    assert dump.counters == ()
    assert len(parse_dumps(SUMMARY + SUMMARY)) == 2
