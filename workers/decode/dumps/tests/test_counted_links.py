"""Drops and errors that interfaces and queueing disciplines count."""

from __future__ import annotations

import pytest

from workers.decode.dumps import parse_dumps

TC = """qdisc mq 0: dev eth0 root
 Sent 1129935 bytes 76805 pkt (dropped 28, overlimits 0 requeues 24)
 backlog 0b 0p requeues 24
qdisc fq_codel 0: dev eth0 parent :4 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn
 Sent 2734375 bytes 18597 pkt (dropped 28, overlimits 0 requeues 62)
 backlog 0b 0p requeues 62
  maxpacket 66308 drop_overlimit 0 new_flow_count 56220 ecn_mark 22
  new_flows_len 0 old_flows_len 0
"""  # noqa: E501 - as printed
NET_TOOLS = """tunl0: flags=193<UP,RUNNING,NOARP>  mtu 1440
        inet 10.0.0.1  netmask 255.255.255.255
        tunnel   txqueuelen 1000  (IPIP Tunnel)
        RX packets 16205656  bytes 5743261616 (5.3 GiB)
        RX errors 0  dropped 0  overruns 0  frame 0
        TX packets 18243634  bytes 38428771454 (35.7 GiB)
        TX errors 35842  dropped 0 overruns 35842  carrier 0  collisions 0
"""
OLD = """eth0      Link encap:Ethernet  HWaddr 02:00:00:00:00:01
          inet addr:10.0.0.1  Bcast:10.0.0.255  Mask:255.255.255.0
          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1
          RX packets:12 errors:0 dropped:7 overruns:0 frame:0
          TX packets:34 errors:0 dropped:0 overruns:0 carrier:0
          collisions:0 txqueuelen:1000
          RX bytes:1234 (1.2 KB)  TX bytes:1234 (1.2 KB)
"""
IP = """2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    1234567  1234      0      7       3       5
    TX:  bytes packets errors dropped carrier collsns
    7654321   34      0       0       0       0
"""
PROC = """Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
  eth0: 1234 12 0 7 3 0 0 0 1234 34 0 0 0 0 0 0
"""  # noqa: E501 - as printed
NETSTAT = """Kernel Interface table
Iface      MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg
eth0      1500       12      0      7 3            34      0      0      0 BMRU
"""


@pytest.mark.parametrize(
    ("text", "kind", "interface", "queue", "sent", "lost"),
    [
        (TC, "tc-qdisc", "eth0", "mq root", 76_805, {"dropped": 28}),
        (NET_TOOLS, "ifconfig", "tunl0", "", 18_243_634, {"TX errors": 35_842, "TX overruns": 35_842}),
        (OLD, "ifconfig", "eth0", "", 34, {"RX dropped": 7}),
        (PROC, "interface-table", "eth0", "", 34, {"RX dropped": 7, "RX fifo": 3}),
        (NETSTAT, "interface-table", "eth0", "", 34, {"RX dropped": 7, "RX overruns": 3}),
    ],
    ids=["tc", "net-tools", "net-tools-1", "proc", "netstat"],
)
def test_what_was_lost_is_read(
    text: str, kind: str, interface: str, queue: str, sent: int, lost: dict[str, int]
) -> None:
    (dump,) = parse_dumps(text)
    (link,) = dump.link_counters
    assert (dump.kind, dump.lines_not_understood) == (kind, ())
    assert (link.interface, link.queue, link.sent, link.lost) == (interface, queue, sent, lost)


def test_ip_link_with_counters_shows_interface_and_losses() -> None:
    (dump,) = parse_dumps(IP)
    assert (dump.kind, dump.lines_not_understood, dump.interfaces[0].name) == ("ip-link", (), "eth0")
    receive, transmit = dump.link_counters
    assert (receive.sent, receive.lost) == (0, {"RX dropped": 7, "RX missed": 3})
    assert (transmit.sent, transmit.lost) == (34, {})
