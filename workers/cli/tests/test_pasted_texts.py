"""Texts as people paste them: the fact that each holds is reported, and no cause that is not in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.cli.analyse_files import analyse_files
from workers.cli.evidence_files import EvidenceFile

SAMPLES = Path(__file__).parents[2] / "decode" / "tests" / "samples" / "pasted"
CLAIMED_FROM = 0.5
FACTS = {
    "arp-unanswered": ("Nobody answers ARP or neighbor discovery for 10.33.8.44 (INCOMPLETE)", ()),
    "bpftrace": ("12 packets dropped in nf_hook_slow", ()),
    "brctl-showstp": ("No frame passes veth22559a9 (blocking)", ()),
    "bridge-netfilter-off": ("br_netfilter is not", ()),
    "calico-log": ("Failed to find VXLAN tunnel device parent", ()),
    "cilium-monitor": ("the eBPF NAT has no free port", ("ebpf-nat",)),
    "conntrack-close-wait": ("1 of 2 entries are TCP connections that nobody answered", ()),
    "conntrack-table-full": ("full table 3 times", ("conntrack-full",)),
    "dropwatch": ("12 packets dropped in enqueue_to_backlog", ("backlog-drop",)),
    "flannel-log": ("no route to host", ()),
    "hairpin": ("Hairpin mode is off on 2 of 2 ports", ("hairpin",)),
    "hubble-json": ("10.0.1.5:40000 → 198.51.100.9:443", ("ebpf-nat",)),
    "hubble-lines": ("2 packets dropped for Policy denied", ("firewall-drop",)),
    "inspektor-gadget": ("2 packets dropped for NETFILTER_DROP", ("firewall-drop",)),
    "kube-proxy-log": ("xtables lock", ("rule-sync-delay",)),
    "martian": ("its reverse-path filter drops it", ("reverse-path-filter",)),
    "mtr": ("12 % of 100 probes were lost at the last hop", ()),
    "nat-gateway-csv": ("ErrorPortAllocation is up to 412", ("cloud-snat-exhaustion",)),
    "neigh-failed": ("10.33.8.44 on eth0", ()),
    "neighbor-overflow": ("The neighbor table was full", ("neighbor-table-overflow",)),
    "netfilter-log": ("10.244.1.5:40000 → 10.0.0.9:443", ("firewall-drop",)),
    "no-endpoints-reject": ("default/search:http has no endpoints", ("no-local-endpoint",)),
    "no-local-endpoints": ("shop/front: has no local endpoints", ("no-local-endpoint",)),
    "perf-kfree-skb": ("2 packets dropped for IP_RPFILTER", ("reverse-path-filter",)),
    "pwru-kernel-6.11": ("dropped in sk_skb_reason_drop", ()),
    "pwru-netfilter-drop": ("172.20.10.2:33918 → 198.51.100.1:4240", ("firewall-drop",)),
    "queues": ("uses 1 of 8", ("cloud-allowance",)),
    "retina-metrics": ("is up to 12", ()),
    "stale-arp": ("10.42.2.0 on flannel.1", ("stale-neighbor",)),
    "traceroute": ("answers !H at hop 2", ()),
    "vxlan-bad-checksum-dmesg": ("arrived with a wrong checksum", ("overlay-bad-checksum",)),
    "vxlan-bad-checksum-tcpdump": ("SYN", ("overlay-bad-checksum",)),
}
"""By sample: words of the fact, and causes that may be claimed."""


@pytest.mark.parametrize("name", sorted(FACTS))
def test_the_fact_is_reported(name: str, tmp_path: Path) -> None:
    fact, causes = FACTS[name]
    pasted = tmp_path / f"{name}.txt"
    pasted.write_bytes(b"\n" + (SAMPLES / f"{name}.txt").read_bytes().partition(b"\n")[2])
    report = analyse_files([EvidenceFile(pasted, pasted.name)], name)
    assert report is not None
    told = [f"{each.title} {each.summary}" for each in report.findings]
    told += [f"{each.title} {each.statement}" for each in report.diagnoses]
    assert any(fact in text for text in told), told
    assert {each.cause for each in report.diagnoses if each.confidence >= CLAIMED_FROM} <= set(causes)
