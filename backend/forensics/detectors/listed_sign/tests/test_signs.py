"""Each fact beside the listing that resembles it and shows no failure."""

from __future__ import annotations

import pytest

from backend.forensics.detectors.listed_sign.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from workers.decode.dumps import parse_dump_bytes

_ENTRY = (
    "src=10.0.0.5 dst=10.96.0.10 sport=4{0}000 dport={1} [UNREPLIED] "
    "src=10.0.0.9 dst=10.0.0.5 sport={1} dport=4{0}000"
)
_HAPROXY = (
    "Apr 20 13:17:16 lb haproxy[835]: 192.0.2.1:52194 [20/Apr/2021:13:17:12.780] in pool/w2 0/0/{0}/-1/{0} {1} 213 - - "
    '{2} 4/4/3/3/1 0/0 "GET / HTTP/1.1"\n'
)
_ADDRESSES = """2: eth0@if3: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet6 fe80::1/64 scope link tentative {}
"""
_NO_ENDPOINT = (
    "*filter\n:KUBE-EXTERNAL-SERVICES - [0:0]\n"
    '[0:0] -A KUBE-EXTERNAL-SERVICES -d 192.0.2.9/32 -p tcp -m comment --comment "shop/web has {}" -m tcp --dport 80 '
    "-j DROP\nCOMMIT\n"
)
_SOFTNET = (
    "{:08x} 00000000 00000002" + " 00000000" * 8 + "\n" + "{:08x} 00000000 00000000" + " 00000000" * 8 + "\n"
)
_MASQUERADE = "*nat\n" + "-A POSTROUTING -s 10.0.0.0/8 -j MASQUERADE{}\n" * 2 + "COMMIT\n"
_PING = """PING 10.0.0.7 (10.0.0.7) 56(84) bytes of data.
--- 10.0.0.7 ping statistics ---
{} packets transmitted, {} received, {}% packet loss, time 24053ms
"""
_ECHO = "00:00:0{0}.000000 IP 10.0.0.5 > 10.0.0.7: ICMP echo request, id 7, seq {0}, length 64\n"
_IPVS = """IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.0.0.1:80 rr
  -> 10.0.1.8:80                  Masq    {}      {}          555
  -> 10.0.2.7:80                  Masq    1      0          599
"""
_FORTIO = """Fortio 1.3.1 running at 100 queries per second, 8->8 procs, for 10s: http://10.0.0.9:80
Aggregated Function Time : count 1000 avg 0.0041 +/- 0.0331 min 0.0005 max {} sum 4.1
Code 200 : 990 (99.0 %)
Code 503 : {} (1.0 %)
"""
_SOCKET = """State Recv-Q Send-Q Local Address:Port Peer Address:Port
ESTAB 0      0      10.0.0.5:4    10.0.0.9:80
\t cubic wscale:7,7 rto:408 rtt:201.5/8.2 mss:1448 cwnd:1 data_segs_out:60 {}
"""
_DESCRIBED = """Name:                     web
Namespace:                default
Endpoints:                {}
Session Affinity:         None
"""
_ENVOY = (
    '[2026-11-25T21:26:18.409Z] "GET /a HTTP/1.1" {} - "-" 0 95 1 - "-" "curl" "id" "web" "10.0.0.9:80"\n'
)
_NETWORK_MANAGER = "Aug 02 20:56:05 n NetworkManager[706]: <debug> [1.2] device[b5] (flannel.1): "


def summaries(text: str) -> list[str]:
    dumps = [DumpInput("x.txt", None, dump) for dump in parse_dump_bytes(text.encode())]
    return [finding.summary for finding in detect(gather_facts([], dumps)).findings]


@pytest.mark.parametrize(
    ("failing", "said", "resembling"),
    [
        (
            f"udp 17 27 {_ENTRY.format(1, 53)}\nudp 17 26 {_ENTRY.format(2, 53)}\n",
            "2 DNS queries without a reply (UNREPLIED), the oldest for 4 s",
            f"udp 17 28 {_ENTRY.format(1, 53)}\nudp 17 1 {_ENTRY.format(2, 514)}\n",
        ),
        (
            _HAPROXY.format(4043, 502, "SH--"),
            "while waiting for the response headers. Connecting took up to 4,043 ms",
            _HAPROXY.format(4, 200, "----"),
        ),
        (_ADDRESSES.format("dadfailed"), "does not use fe80::1 on eth0", _ADDRESSES.format("")),
        (
            _NO_ENDPOINT.format("no local endpoints"),
            "shop/web has no endpoint on this node",
            _NO_ENDPOINT.format("two"),
        ),
        (_SOFTNET.format(90_000, 10_000), "CPU 0 took 90 % of 100,000 packets", _SOFTNET.format(60_000, 40_000)),
        (
            _MASQUERADE.format(" --random-fully", ""),
            "with and without --random-fully",
            _MASQUERADE.format(" --random-fully", " --random-fully"),
        ),
        (
            _NETWORK_MANAGER + "hw-addr: hardware address now 02:DA:4B:63:24:56\n",
            "The MAC address of flannel.1 was set to 02:da:4b:63:24:56",
            _NETWORK_MANAGER + "state change: activated\n",
        ),
        (
            _PING.format(25, 0, 100),
            "25 of 25 ICMP echo requests to 10.0.0.7 got no reply",
            _PING.format(25, 25, 0),
        ),
        (
            _ECHO.format(1) + _ECHO.format(2) + _ECHO.format(3),
            "3 of 3 ICMP echo requests to 10.0.0.7 got no reply",
            _ECHO.format(1) + _ECHO.format(2) + _ECHO.format(3)
            + "00:00:09.100000 IP 10.0.0.7 > 10.0.0.5: ICMP echo reply, id 7, seq 3, length 64\n",
        ),
        (
            f"udp 17 29 {_ENTRY.format(1, 8125)}\n",
            "1 UDP entry is UNREPLIED and kept alive by packets: 10.96.0.10:8125 to 10.0.0.9:8125",
            f"udp 17 12 {_ENTRY.format(1, 8125)}\n",
        ),
        (
            _IPVS.format(0, 3),
            "1 of 2 real servers of 10.0.0.1:80 have weight 0 (they get no new connection), with 3 active",
            _IPVS.format(1, 3),
        ),
        (_FORTIO.format("1.0412", 10), "fortio: 10 of 1,000 requests failed", _FORTIO.format("0.0412", 0)),
        (
            _SOCKET.format("retrans:1/14"),
            "10.0.0.5:4 → 10.0.0.9:80: 14 segments retransmitted of 60 (23 %)",
            _SOCKET.format("retrans:0/1"),
        ),
        (
            f"[DESTROY] tcp 6 {_ENTRY.format(1, 80)}\n",
            "1 TCP entry was removed without a reply (UNREPLIED): 10.0.0.5:41000 → 10.96.0.10:80",
            f"[DESTROY] udp 17 {_ENTRY.format(1, 80)}\n",
        ),
        (
            _DESCRIBED.format("<none>"),
            "no pod of the service's selector is ready",
            _DESCRIBED.format("10.0.1.8:8080"),
        ),
        (
            '10.0.0.5 - - [01/Feb/2026:10:00:05 +0000] "GET / HTTP/1.1" 504 160 "-" "curl" 10.0.0.9:80 5.000\n',
            "A component logged 1 message like",
            '10.0.0.5 - - [01/Feb/2026:10:00:05 +0000] "GET / HTTP/1.1" 200 160 "-" "curl" 10.0.0.9:80 0.010\n',
        ),
        (
            _ENVOY.format("503 UC upstream_reset_before_response_started{connection_termination}"),
            "1 request ended with 503 and response flag UC: the upstream closed the connection",
            _ENVOY.format("200 - via_upstream"),
        ),
        (
            "qdisc htb 1: dev eth0 root\n Sent 0 bytes 0 pkt (dropped 9, overlimits 0 requeues 0)\n",
            "htb root of eth0 counted: dropped 9; 0 packets sent",
            "qdisc htb 1: dev eth0 root\n Sent 90 bytes 9 pkt (dropped 0, overlimits 0 requeues 0)\n",
        ),
        (
            "TcpExtListenDrops 15 0.0\n\n$ nstat\nTcpExtListenDrops 16 0.0\n",
            "TcpExtListenDrops 16 (SYNs dropped at listeners)",
            "TcpExtListenDrops 0 0.0\n\n$ nstat\nTcpExtListenDrops 0 0.0\n",
        ),
    ],
)  # fmt: skip
def test_a_fact_is_reported_and_what_resembles_it_is_not(failing: str, said: str, resembling: str) -> None:
    found = summaries(failing)
    assert any(said in text for text in found), found
    assert summaries(resembling) == []
