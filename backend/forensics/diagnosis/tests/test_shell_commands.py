"""What commands of the advice do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.forensics.diagnosis import causes
from backend.forensics.diagnosis.shell_commands import is_complete, only_reads


@pytest.mark.parametrize(
    "command",
    [
        "mtr -rwc 100 192.0.2.1",
        "ip -s link; ethtool -S eth0 | grep -iE 'drop|err|miss'",
        "conntrack -S; sleep 60; conntrack -S",
        "iptables-save -c; nft list ruleset; kubectl get networkpolicy -A",
        "sysctl net.core.somaxconn",
        "ip neigh show; ping -c 3 192.0.2.1",
        "kubectl -n kube-flannel get daemonset -o jsonpath='{..image}'",
        "tcpdump -i any -y LINUX_SLL2 -s 96 -w server.pcap 'tcp[tcpflags] & (tcp-syn|tcp-rst) != 0 or icmp'",
        "sysctl -a 2>/dev/null | grep proxy_arp; bridge fdb show",
        "ss -lnt 'sport = :80'   # Recv-Q waits, Send-Q is the backlog",
    ],
)
def test_commands_that_only_read(command: str) -> None:
    assert only_reads(command)


@pytest.mark.parametrize(
    "command",
    [
        "sysctl -w net.core.somaxconn=4096",
        "sysctl net.core.somaxconn=4096",
        "iptables -t nat -I POSTROUTING 1 -j MASQUERADE --random-fully",
        "echo 2 > /proc/sys/vm/drop_caches",
        "ip neigh del 192.0.2.1 dev eth0",
        "ip route change 192.0.2.0/24 via 192.0.2.1 dev eth0 quickack 1",
        "ethtool -K eth0 tx off",
        "conntrack -D -p udp --orig-dst 192.0.2.1",
        "kubectl -n kube-system scale deployment coredns --replicas=3",
        "ss -s; sysctl -w net.ipv4.tcp_syncookies=1",
        "iptables -t raw -A PREROUTING -p udp --dport 53 -j TRACE; xtables-monitor --trace",
        "",
    ],
)
def test_commands_that_change_something_or_are_none(command: str) -> None:
    assert not only_reads(command)


def test_a_command_with_a_word_to_replace_is_not_complete() -> None:
    assert not is_complete("mtr -rwc 100 HOST")
    assert not is_complete("kubectl annotate serviceaccount -n NAMESPACE web")
    assert is_complete("iptables -t nat -I POSTROUTING 1 -s 10.0.0.0/24 -j MASQUERADE --random-fully")
    assert is_complete("kubectl -n kube-system set env daemonset/aws-node AWS_VPC_K8S_CNI_RANDOMIZESNAT=prng")
    assert not is_complete("")


_PROSE = ("the ", "cpu.stat:")
"""How checks begin that are no commands."""


def _checks() -> Iterator[str]:
    """Every check of a remedy that is a command, written as one text: by its name it only reads."""
    for path in Path(causes.__file__).parent.rglob("*.py"):
        if "tests" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "check" and isinstance(node.value, ast.Constant):
                check = str(node.value.value)
                if check and not check.startswith(_PROSE):
                    yield check


def test_checks_of_remedies_change_nothing() -> None:
    checks = set(_checks())
    assert len(checks) > 20
    assert [check for check in sorted(checks) if not only_reads(check)] == []
