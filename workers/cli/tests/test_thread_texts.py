"""What people pasted into public threads: nearly every line is understood, its fact reported, no false cause named."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.cli.analyse_files import analyse_files
from workers.cli.evidence_files import EvidenceFile
from workers.decode.dumps.tests.sample_texts import content_of, understood

SAMPLES = sorted((Path(__file__).parents[2] / "decode" / "tests" / "samples" / "threads").glob("*.txt"))
CLAIMED_FROM = 0.5
UNDERSTOOD_LEAST = 0.95
FACTS = {
    "ufw-routed": ("at the end of FORWARD (DROP)", ""),
    "bsd-listen-overflow": ("A listener's accept queue was full (FreeBSD)", ""),
    "curl-lookup-5s": ("1 × the resolver's time-out of 5 s", ""),
    "firewalld-reject": ("dropped for filter_FWD_public_REJECT", "firewall-drop"),
    "forward-reject": ("at the end of FORWARD (REJECT)", ""),
    "hubble-audited": ("3 flows passed only because of policy audit mode", ""),
    "martian-arp": ("no packet of a connection was dropped", ""),
    "mtu-docker0": ("docker0 (1,500 bytes): more than fits through enp7s0 (1,450 bytes", ""),
    "nat-empty": ("No rule of this nat table translates an address", ""),
    "ping-large-reassembly": ("fragment reassembly time exceeded", ""),
    "tls-timeout": ("packets larger than the path MTU are lost", ""),
    "bird-not-ready": ("the program that listens on it does not run", ""),
    "flannel-route-invalid": ("failed to add vxlanRoute (10.244.0.0/24 -> 10.244.0.0): invalid argument", ""),
    "iperf-retransmits": ("205 segments were retransmitted in 5 intervals", ""),
    "iperf-stalled": ("nothing went through in 7 of 8 intervals", ""),
    "ipvs-900-keepalive": ("IPVS forgets a TCP connection after 900 s without packets", ""),
    "java-connect-timeout": ("no reply to the SYN", ""),
    "java-nested-reset": ("a RST came for the connection", ""),
    "java-trace-na": ("no reply to the SYN", ""),
    "bgp-no-route": ("no ARP reply, or an ICMP error", ""),
    "bgp-refused": (
        "BGP peer 192.168.63.204 is not established: start, Active Socket: Connection refused",
        "",
    ),
    "bird-unreachable": ("The route to 10.1.1.0/24 is unreachable", ""),
    "cri-xtables-lock": ("another program held the xtables lock", "rule-sync-delay"),
    "curl-joined": ("took up to 5.009 s in 1 of 1 request: 1 × the resolver's time-out of 5 s", ""),
    "forward-drop-names": ("at the end of INPUT (REJECT), FORWARD (DROP)", ""),
    "kubedns-no-endpoints": ("kube-system/kubedns has no endpoint", ""),
    "logged-invalid": ("1 packet dropped for STATE_INVALID_DROP: 172.18.200.4:43924 → 10.142.0.58:80", ""),
    "missed-errors": ("rx_missed_errors 4,954", ""),
    "portals-reset": ("read: connection reset by peer", ""),
    "probe-events": ("the client's own time limit passed", ""),
    "probe-get-events": ("the client's own time limit passed", ""),
    "probe-old-events": ("the SYN was answered by a RST, or a rule rejected it", ""),
    "resolv-timeout": ("the name server did not reply", ""),
    "router-xtables-lock": ("another program held the xtables lock", ""),
    "arp-pod-gateway": ("Nobody answers ARP or neighbor discovery for 169.254.1.1", ""),
    "br-nf-sysctl-d": ("bridged packets pass no iptables rule", ""),
    "coredns-unreachable": ("the upstream did not reply", ""),
    "ctfull-inside": ("logged a full table 1 time", "conntrack-full"),
    "felix-no-arp": ("Failed to set ARP entry", ""),
    "flannel-mac-clear": ("the host that has it has 9a:7a:ba:c1:ab:5d", "stale-neighbor"),
    "goaway-core": ("keepalive pings every 30.0 s came too often", "grpc-goaway"),
    "goaway-go": ("keepalive pings came too often", "grpc-goaway"),
    "goaway-json": ("keepalive pings came too often", "grpc-goaway"),
    "hitch-no-port": ("no local port is left towards that address", ""),
    "istio-access-uc": ("503 and response flag UC: the upstream closed the connection", ""),
    "listen-129": ("*:80 (129 wait, backlog 128)", ""),
    "martian-lan": ("reverse-path filter", "reverse-path-filter"),
    "need-frag-masked": ("ICMP need to frag (mtu 1420)", ""),
    "neigh-failed-bold": ("169.254.1.1 on eth0 (FAILED)", ""),
    "netstat-close-wait": ("6 sockets are in CLOSE-WAIT (6 of 172.17.0.2:9482)", ""),
    "netstat-p-fin-wait": ("7 to localhost:5000", ""),
    "netstat-windows": ("7 of 7 TCP sockets are in TIME-WAIT", ""),
    "ping-mtu": ("the MTU to it is 1,440 bytes, requests of 1,500 bytes do not fit", ""),
    "states-by-awk": ("710 TCP sockets are in CLOSE-WAIT", ""),
    "syn-masqueraded": ("1 of 1 connection attempts to 140.82.121.4:443 had SYN retransmissions", ""),
    "untranslated-query": ("not translated: 192.168.0.10:53", ""),
    "answer-past-nat": ("10.251.1.189:7800 reset by the client", ""),
    "arp-an": ("Nobody answers ARP", ""),
    "arp-overflow-sysctl": ("neighbor table", "neighbor-table-overflow"),
    "arp-overflow-syslog": ("neighbor table", "neighbor-table-overflow"),
    "calico-63s": ("wrong outer UDP checksum", "overlay-bad-checksum"),
    "cilium-monitor-layers": ("dropped for Stale or unroutable IP", ""),
    "cilium-monitor-old": ("Policy denied", "firewall-drop"),
    "close-wait-countdown": ("counts down from 55 to 39 s", "conntrack-entry-expired"),
    "coredns-hinfo": ("to find loops (plugin loop): the upstream did not reply", ""),
    "coredns-stamped": ("i/o timeout", ""),
    "coredns-upstream-timeout": ("the upstream resolver did not reply within 2 s", ""),
    "ctfull-dmesgT": ("logged a full table", "conntrack-full"),
    "ctfull-one-fence": ("logged a full table 3 times", "conntrack-full"),
    "ctfull-uptime": ("logged a full table 5 times", "conntrack-full"),
    "ctfull-wrapped": ("logged a full table 3 times", "conntrack-full"),
    "curl-no-route-etcd": ("No route to host", ""),
    "curl-timeout": ("after 129261 ms", ""),
    "dns5s-pinterest": ("sent again after 5 s", ""),
    "ebpf-exporter": ("SKB_DROP_REASON_SOCKET_RCVBUFF", ""),
    "echo-flannel-one-side": ("6 of 6 ICMP echo requests to 172.19.90.4 got no reply", ""),
    "ena-ethtool": ("inbound bandwidth", "cloud-allowance"),
    "ena-linklocal": ("linklocal_allowance_exceeded 335,000,000 (DNS", "cloud-allowance"),
    "ena-openmetrics": ("conntrack_allowance_exceeded", ""),
    "envoy-debug-termination": ("the upstream closed the connection before it responded", ""),
    "flannel-549": ("fe80::42:aff:fef4:4c03 on eth0: another interface answered for it", ""),
    "flannel-resync": ("link has incompatible addresses", ""),
    "hairpin-637": ("Failed to connect to 10.49.13.240", ""),
    "hapi-rst": ("crossed the server's FIN", "keepalive-race"),
    "haproxy-ep": (
        "ended with SH: the server closed or refused the connection while waiting for the response headers",
        "",
    ),
    "hubble-json": ("POLICY_DENIED", "firewall-drop"),
    "hubble-lines": ("Policy denied", "firewall-drop"),
    "ifconfig-tunl0": ("tunl0 counted: TX errors 35,842", ""),
    "ipip-8953": ("1 segment retransmitted", ""),
    "ipt-trace": ("172.19.0.0 → 172.19.3.12 (icmp) is nat:PREROUTING:rule:1", ""),
    "ipvs-terminating": ("10 active and 14,048 inactive connections", ""),
    "ipvs-weight-0": ("3 of 7 real servers of 192.168.6.2:32502 have weight 0", ""),
    "itp-local-drop": ("kubia-nodeport-local has no endpoint on this node", "no-local-endpoint"),
    "kubeproxy-ct-clean": ("2 DNS queries without a reply (UNREPLIED), the oldest for 11 s", ""),
    "kubeproxy-deletes-udp": (
        "kube-proxy deleted the connection-tracking entries of UDP packets for 10.19.201.0 to 10.18.4.22",
        "",
    ),
    "listen-drops-twice": ("TcpExtListenDrops 15 (SYNs dropped at listeners)", ""),
    "listen-queue": ("a listener's accept queue was full", ""),
    "martian": ("reverse-path filter", "reverse-path-filter"),
    "martian-ipvs": ("reverse-path filter", "reverse-path-filter"),
    "masq-random": ("is there with and without --random-fully", ""),
    "microk8s-trace": ("is mangle:cali-from-host-endpoint:return:1", ""),
    "need-frag-ovn": ("ICMP need to frag (mtu 1438)", ""),
    "needfrag-osv": ("retransmission timeouts", ""),
    "neighbor-overflow-linked": ("neighbor table", "neighbor-table-overflow"),
    "netstat-hiboma": ("TcpExtListenOverflows 6,350", ""),
    "netstat-s-two": ("TcpExtTCPTimeWaitOverflow 35,360 (closed without TIME_WAIT", ""),
    "nginx-premature-close": ("the upstream closed the connection before it responded", ""),
    "nm-debug-mac": ("The MAC address of flannel.1 was set to 02:da:4b:63:24:56", ""),
    "no-endpoints": ("scan-inbound has no endpoint", "no-local-endpoint"),
    "no-endpoints-many": ("default/cache-admin has no endpoint", "no-local-endpoint"),
    "no-endpoints-nodeport": ("default/gateway-15 has no endpoint", "no-local-endpoint"),
    "no-endpoints-rules": ("ingress/certs-nginx has no endpoint", "no-local-endpoint"),
    "no-local-rules": ("has no endpoint on this node", "no-local-endpoint"),
    "openwrt-arp": ("neighbor table", "neighbor-table-overflow"),
    "otv-syn-unanswered": ("wrong outer UDP checksum", "overlay-bad-checksum"),
    "ping-lost-then-allowed": ("25 of 25 ICMP echo requests to 10.251.3.14 got no reply", ""),
    "pwru-148": ("NETFILTER_DROP", "firewall-drop"),
    "remote-443": ("in 1 connection: 172.16.12.5:37567 → 10.227.254.1:443", ""),
    "rke2-conntrack-s": ("invalid 278", ""),
    "skbstat": ("inet_csk_destroy_sock", ""),
    "softnet-coreos": ("CPU 0 took 97.6 % of 1,316,177,236 packets", ""),
    "stale-udp-101607": ("nobody answered (UNREPLIED)", ""),
    "syn-ack-repeated": ("1 of 1 connection attempts to 203.0.113.77:21080 had SYN retransmissions", ""),
    "syn-again-after-1s": ("median connect time 1,056 ms", ""),
    "tc-fq-codel": ("mq root of eth0 counted: dropped 28,660", ""),
    "tc-htb-default": ("htb root counted: dropped 9; 0 packets sent", ""),
    "udp-after-service-delete": ("kept alive by packets: 10.103.2.11:8080 to 10.251.0.10:8080", ""),
    "udp-hostport-unreplied": ("kept alive by packets: 10.135.0.71:10001 to 10.15.0.24:10001", ""),
    "unexpected-source": ("untranslated", "bridge-netfilter-off"),
    "untranslated-udp": ("not translated and never answered", "stale-conntrack-entry"),
    "vxlan-dmesg-ethtool": ("wrong outer UDP checksum", "overlay-bad-checksum"),
    "vxlan-one-packet-each": ("wrong outer UDP checksum", "overlay-bad-checksum"),
    "xlb-markdrop": ("default/nodeport has no endpoint on this node; its DROP rule counted no packet", ""),
    "xtables-monitor": ("is raw:PREROUTING:policy:ACCEPT, in from egress.vxlan", ""),
}
"""By sample: words of the fact that it holds, and the cause that may be claimed."""
SILENT = {
    "apiserver-established": "connections that are established",
    "cilium-observe": "a connection that is opened",
    "hubble-forwarded": "queries that are forwarded and answered",
    "vpc-rules": "rules of routing: which pods exist is written beside them",
    "mtr-indented": "one router on the way answers few probes, those behind it all",
    "strace-poll": "one answer for the resolver, then 2.5 s without: what it asked for is not in the text",
    "mss-clamped": "one connection, opened; the text ends with the next SYN",
    "pwru-wireguard": "steps of a packet; the text ends before it is freed",
    "ttt-tunl0": "one request that is answered",
    "brctl-show": "the text ends before the line that shows a port's hairpin mode",
    "calico-rules-and-rst": "one RST and one answered ARP request, rules without drops",
    "conntrack-dns-answered": "each entry is answered",
    "conntrack-e-felix": "each entry is answered, TCP becomes ESTABLISHED",
    "conntrack-xml-ipip": "an IPIP tunnel has no replies of its own",
    "coredns-query-log": "each query has a response",
    "docker-lo-rst": "the text ends with the client's first ACK",
    "egress-loop-begin": "the text ends with the first of the packets that go round",
    "fwd-S": "rules without counters",
    "ipt-linenumbers": "one rule that marks AAAA queries",
    "istio-gateway-fin": "the text ends before the connection closes",
    "jool-mss": "the text ends with the first data segment",
    "metallb-arp-log": "one MAC address answers each request",
    "nat-table-old": "rules that translate; nothing is dropped",
    "nginx-all-fin": "both ends close in order",
    "otv-ping": "a sender's own capture: its outer checksum is filled in by the card",
    "ovs-flows": "flows that commit or deliver; none drops",
    "ping6-frag": "the second fragment of the last reply is not in the text: printed fragments are not decoded",
    "pwru-241": "steps of a packet that was sent",
    "pwru-416": "a packet freed after it was sent (napi_consume_skb)",
    "pwru-without-drop": "packets that were delivered",
    "routes-of-two-nodes": "each node has a route to the others' pods",
    "stp-otv": "multicast from hosts on the same link, checksums left to their cards",
    "syn-to-named-port": "the text ends with one SYN",
    "synproxy-cut": "the text ends before the client's data is sent again",
    "tailscale-mss": "one SYN-ACK with a small MSS",
    "three-hosts": "the text ends 2 ms after the SYN, with the SYN-ACK on its way",
    "timewait-cut": "connections that were closed in order",
    "tshark-rst-leak": "hosts are replaced by words; the RST has another server and port, so of no connection here",
    "weave-dns-tshark": "each query is answered within 60 µs; each packet is printed at two interfaces",
    "wireshark-rst": "the server closes, the client acknowledges",
}
"""Texts that show no failure, with the reason: the report has no finding and names no cause."""


def test_every_sample_names_its_source() -> None:
    assert sorted([*FACTS, *SILENT]) == sorted(sample.stem for sample in SAMPLES)
    assert len(SAMPLES) >= 25
    assert all(sample.read_bytes().startswith(b"# source: ") for sample in SAMPLES)


def test_nearly_every_line_is_understood() -> None:
    lines, share = understood(SAMPLES)
    assert lines > 400
    assert share >= UNDERSTOOD_LEAST


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_its_fact_is_reported_and_no_false_cause(sample: Path, tmp_path: Path) -> None:
    fact, cause = FACTS.get(sample.stem, ("", ""))
    pasted = tmp_path / "pasted.txt"
    pasted.write_bytes(content_of(sample))
    report = analyse_files([EvidenceFile(pasted, pasted.name)], "")
    assert report is not None
    shown = [f"{each.title} {each.summary}" for each in report.findings]
    shown += [f"{each.title} {each.statement}" for each in report.diagnoses]
    shown += [each.why for each in report.checked]
    assert fact or not report.findings, shown
    assert any(fact in text for text in shown), shown
    assert {each.cause for each in report.diagnoses if each.confidence >= CLAIMED_FROM} <= {cause}
