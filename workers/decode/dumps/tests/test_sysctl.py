from backend.forensics.dumps import Setting
from workers.decode.dumps import parse_dumps

TEXT = """\
net.ipv4.ip_local_port_range = 32768	60999
net.ipv4.vs.conn_reuse_mode=1
sysctl: permission denied on key 'net.ipv4.tcp_fastopen_key'
# of the node
/proc/sys/net/ipv4/vs/conntrack:1
net/ipv4/conf/eth0.100/rp_filter = 2
kernel.core_pattern = |/bin/x %p
net.ipv4.tcp_available_congestion_control =
"""


def test_settings_in_every_way_of_writing() -> None:
    (dump,) = parse_dumps(TEXT)
    assert (dump.kind, dump.lines_not_understood) == ("sysctl", ())
    assert dump.settings[:3] == (
        Setting(1, "net.ipv4.ip_local_port_range", "32768 60999"),
        Setting(2, "net.ipv4.vs.conn_reuse_mode", "1"),
        Setting(5, "net.ipv4.vs.conntrack", "1"),
    )
    assert [(s.line, s.value) for s in dump.settings[4:]] == [(7, "|/bin/x %p"), (8, "")]


def test_a_line_cut_in_its_key_is_not_understood() -> None:
    (dump,) = parse_dumps("net.ipv4.vs.conntrack = 1\nnet.ipv4.vs.conn_re\n")
    assert dump.lines_not_understood == (2,)


def test_an_assignment_elsewhere_is_no_setting() -> None:
    assert parse_dumps("name = value\nnet = 1\nthe net.ipv4.x = 1\n") == []
