"""Texts as people paste them in public threads: nearly every line is understood, each as what it is."""

from pathlib import Path

import pytest

from workers.decode.dumps import parse_dump_bytes
from workers.decode.dumps.tests.sample_texts import content_of, understood

SAMPLES = sorted((Path(__file__).parents[2] / "tests" / "samples" / "pasted").glob("*.txt"))
UNDERSTOOD_LEAST = 0.95
KINDS = {
    "arp-unanswered": "tcpdump-text",
    "bpftrace": "drops+histogram",
    "brctl-showstp": "bridge",
    "bridge-netfilter-off": "lsmod+sysctl",
    "calico-log": "component-log",
    "cilium-monitor": "drops",
    "conntrack-close-wait": "conntrack-list",
    "conntrack-table-full": "kernel-log",
    "dropwatch": "drops",
    "flannel-log": "component-log",
    "hairpin": "bridge+client-steps",
    "hubble-json": "drops",
    "hubble-lines": "drops",
    "inspektor-gadget": "drops",
    "kube-proxy-log": "component-log",
    "martian": "kernel-log+sysctl+ip-rule+ip-route",
    "mtr": "path-hops",
    "nat-gateway-csv": "metrics",
    "neigh-failed": "ip-neigh+ping",
    "neighbor-overflow": "kernel-log+sysctl",
    "netfilter-log": "kernel-log+component-log",
    "no-endpoints-reject": "iptables-list+client-steps",
    "no-local-endpoints": "iptables-list+tcpdump-text",
    "perf-kfree-skb": "drops",
    "pwru-kernel-6.11": "drops",
    "pwru-netfilter-drop": "drops",
    "queues": "ethtool-card+ethtool-stats",
    "retina-metrics": "metrics",
    "stale-arp": "ip-neigh+bridge+ip-link",
    "traceroute": "path-hops",
    "vxlan-bad-checksum-dmesg": "kernel-log+offload+client-steps",
    "vxlan-bad-checksum-tcpdump": "tcpdump-text",
}


def test_every_sample_names_its_source_and_is_expected() -> None:
    assert [sample.stem for sample in SAMPLES] == sorted(KINDS)
    assert len(SAMPLES) >= 25
    for sample in SAMPLES:
        assert sample.read_text(encoding="utf-8").startswith("# source: in the form of "), sample.name


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_a_pasted_text_is_recognized_by_its_content(sample: Path) -> None:
    dumps = parse_dump_bytes(content_of(sample))
    assert "+".join(dict.fromkeys(dump.kind for dump in dumps)) == KINDS[sample.stem]


def test_nearly_every_line_is_understood() -> None:
    lines, share = understood(SAMPLES)
    assert lines > 200
    assert share >= UNDERSTOOD_LEAST
