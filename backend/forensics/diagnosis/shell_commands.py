"""What a command of the advice does: whether it only reads, and whether it can be typed as it stands."""

from __future__ import annotations

import re
from typing import Final

_STEPS: Final = re.compile(r"\s*(?:;|&&|\|\||\|)\s*|\n")
_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"|#.*")
_READS: Final = re.compile(
    r"(?:sudo |time |ip netns exec \S+ |do |kubectl exec .*?-- )*(?:"
    r"(?:arp|arping -D|awk|bpftool|bpftrace|cat|curl|date|dig|dmesg|done|dropwatch|for|grep|head|host|hubble"
    r"|ip6tables-save|iptables-save|journalctl|jq|ls|lsof|modinfo|mpstat|mtr|netstat|nginx -T|nslookup|nstat|perf"
    r"|pidstat|ping|pwru|sar|sleep|softirqslower|sort|ss|strace|tail|tcpdump|tcptracer|top|tracepath|traceroute|tshark"
    r"|uname|uniq|vmstat|wc|xtables-monitor)\b"
    r"|sysctl (?!.*(?:-w\b|=))"
    r"|ip (?:-\S+ )*\w+ (?:show|get|list)\b|ip (?:-\S+ )+(?:link|neigh|route|addr)\b(?! (?:add|del|change|replace|set))"
    r"|ip (?:link|neigh|route|rule|addr)$|bridge (?:-\S+ )*\w+ show\b"
    r"|tc (?:-\S+ )*\w+ (?:show|list)\b|nft (?:-\S+ )*(?:list|monitor)\b|ip6?tables .*-[LSnv]+\b"
    r"|conntrack -[SLEC]\b|ipvsadm -L|ethtool (?:-[Sikglnacx] )?\S+$|ethtool -[Sikglnacx]\b"
    r"|kubectl (?:-n \S+ )?(?:get|describe|logs|top|version|set env \S+ --list)\b|systemctl (?:show|status|cat)\b"
    r"|aws \S+ (?:describe|get|list)-|cilium(?:-dbg)? (?:status|metrics list|monitor|bpf \S+(?: \S+)? list)\b"
    r")"
)
"""A step at its beginning."""
_PLACEHOLDER: Final = re.compile(
    r"\b(?:ACCOUNT|ADDRESS|ARN|CLIENT|CPUMASK|DEVICE|GATEWAY|HOST|INTERFACE|NAME|NAMESPACE|OTHER|PID|POD|PORT|PORTS|PREFIX"
    r"|PROBER|RESOLVER|ROLE|SERVER|SERVICE|SETTING|SOURCE|UPSTREAM|ID|INSTANCE|N)\b(?!=)|<[a-z-]+>|…|\.\.\. "
)


def only_reads(command: str) -> bool:
    """Whether no step of it changes anything: a shell pipeline, or several."""
    steps = [step for step in _STEPS.split(_QUOTED.sub("", command)) if step.strip()]
    return bool(steps) and not _writes_file(command) and all(_READS.match(step.strip()) for step in steps)


def _writes_file(command: str) -> bool:
    return re.search(r"(?<!2)>\s*(?!/dev/null|&)\S", _QUOTED.sub("", command)) is not None


def is_complete(command: str) -> bool:
    """Whether it can be typed as it stands: no word of it stands for one that the reader has to find."""
    return bool(command) and _PLACEHOLDER.search(command) is None
