"""Lines of a pasted shell session that are no dump but say where and when: prompts, `=== time`, headings, `date`.

root@node-7:~# conntrack -S
[root@node-7 ~]$ sudo conntrack -L
=== 2026-11-21T00:44:09.553Z
Sat Nov 21 00:58:22 UTC 2026
--- ipvsadm -Ln ---
==> /proc/sys/net/ipv4/vs/conntrack <==
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from workers.decode.dumps.stated_times import epoch_time_ns, is_only_a_time, stated_time_ns

_NAMED_PROMPT = re.compile(
    r"(?:\([\w.-]{1,64}\) ?)?\[?[\w.-]{1,64}@(?P<host>[\w.-]{1,255})[: ]?[^#$%>\]]{0,255}\]?"
    r"[#$%>](?: (?P<command>.*))?$"
)
_BARE_PROMPT = re.compile(
    r"(?:bash-[\d.]{1,8}|sh-[\d.]{1,8}|~|/[\w./-]{0,255}|"
    r"[\w.@:/~-]{1,64}(?: [\w./~-]{1,64})?)? ?[#$%>❯➜]+ ?(?P<command>.*)$"
)
_HOST_PROMPT = re.compile(
    r"\[?(?:[\w.-]{1,64}@)?(?P<host>[A-Za-z][\w.-]{1,64})[: ][~/][\w./~-]{0,64}\]? ?[#$%] (?P<command>\S.*)$"
)
_QUOTED = re.compile(r"`(?P<command>[^`]{2,400})`:?\s*(?P<more>[^`]{0,80})$")
_RULED_LINE = re.compile(r"(?:={2,}|-{2,}|#{1,6}|\+{2,})\s?(?P<text>\S.{0,200})$")
_FILE_HEADING = re.compile(r"==> (?P<path>\S.{0,1000}) <==$")
_CLOSED_RULE = re.compile(r"(?P<rule>={3,}|-{3,}|#{3,}|\*{3,}) ?\S.{0,200}?\S? ?(?P=rule)$")
_MARKS = frozenset(
    (
        "```",
        "~~~",
        "...",
        "....",
        "…",
        "[...]",
        "[…]",
        "<snip>",
        "[snip]",
        "--",
        "---",
        "^C",
        "(snip)",
        "# ...",
    )
)
"""What stands for lines that were left out."""
_LEFT_OUT = re.compile(
    r"(?:[.…#/*]{1,4} ?)?[<\[(]?(?:\.{3} ?)?(?:many |more |other )?(?:lines )?"
    r"(?:snip(?:ped)?|truncated|omitted|removed|cut|skipped|redacted)(?: \w{2,12}){0,3}[>\])]?[ .…]{0,5}$",
    re.IGNORECASE,
)
_LONGEST_MARK = 60
_TAG = re.compile(
    r"(?:</?(?:code|pre|details|summary|p|br|div|blockquote)\b[^<>]{0,80}/?>){1,4}$", re.IGNORECASE
)
_FENCE = re.compile(r"(?:`{3,8}|~{3,8}) ?[\w-]{0,16}$")
_ERRORS = re.compile(
    r"(?:-?bash|sh|zsh|sudo|iptables(?: v[\d.]+)?|ip6tables(?: v[\d.]+)?|conntrack(?: v[\d.]+)?|cat|grep|ls|nft|"
    r"Error|error|command terminated|Perhaps iptables|RTNETLINK answers|"
    r"Cannot open netlink socket|Defaulted container|Unable to use a TTY)\b[: ].{0,300}"
    r"(?:[Pp]ermission denied|not found|No such (?:file|device|container)|needs to be upgraded|must be root|exit code|"
    r"Operation not permitted|out of:|right kind of file)"
)
"""What shells and tools answer instead of a listing."""
_NOTES = re.compile(
    r"tcpdump: (?:verbose output|listening|data link)|listening on \S{1,64}, link-type |"
    r"\d{1,12} packets? (?:captured|received by filter|dropped by)"
)
"""What tcpdump says around its packets, where it printed none."""
_INDENTED = " " * 8
"""Nobody types there: reports underline their columns so."""
_TYPED = re.compile(
    r"(?:\S*/)?(?:sudo |kubectl |oc |docker |crictl |ip (?:-\w|a|r|n|l|x)|iptables\S* |ip6tables\S* |nft |ss\b|nstat\b|"
    r"netstat |ethtool |conntrack |cat /|tcpdump |tshark |curl |dig |nslookup |ping |traceroute |mtr |sysctl |arp\b|"
    r"bridge |brctl |dmesg\b|ipvsadm |hubble |cilium |pwru\b|perf |bpftrace |dropwatch\b|nsenter |journalctl |"
    r"lsmod\b|uname |for \w+ in |while (?:true|:|\[)|grep |watch |ifconfig\b|route\b|nc |telnet |wget |cilium-dbg |"
    r"ufw |skbstat\S*|calicoctl |systemctl |modprobe |hostname\b)\S*"
)
# A bare `#` also begins comments, so the command behind it has to be one that people run here.
_COMMANDS = frozenset(
    (
        "awk", "cat", "k", "rpm", "dpkg", "conntrack", "cp", "curl", "date", "docker", "echo", "for", "grep", "head",
        "hostname", "ip", "ip6tables-save", "iptables", "iptables-save", "ipvsadm", "journalctl", "k3s",
        "kubectl", "ls", "netstat", "nft", "nsenter", "nstat", "ping", "podman", "sleep", "ss", "sudo",
        "sysctl", "tail", "tcpdump", "uname", "uptime", "watch", "while", "ab", "dmesg", "ethtool",
        "arp", "arping", "bpftrace", "brctl", "bridge", "calicoctl", "cilium", "crictl", "dig", "dropwatch", "hubble",
        "ifconfig", "ip6tables", "ipset", "iptables-legacy", "iptables-nft", "kubectl-gadget", "lsmod", "modprobe",
        "mtr", "nc", "netcat", "nslookup", "oc", "perf", "host", "drill", "docker", "nerdctl", "calicoctl", "istioctl",
        "nmap", "hping3", "iperf", "iperf3", "sysctl", "systemctl", "lspci", "lsof", "ps", "top", "cilium-dbg", "helm",
        "iptables-restore", "etcdctl", "strace", "gcloud", "aws", "az", "wrk", "siege", "vegeta", "socat", "time",
        "journalctl", "microk8s", "minikube", "kind", "ipset", "tc", "ovs-vsctl", "ovs-ofctl", "ovn-nbctl", "pwru",
        "route", "ssh", "telnet", "skbstat.py", "skbstat", "traceroute", "tracepath", "ufw",
        "tshark", "wget", "telnet", "crictl", "ip6tables", "retina",
    )
)  # fmt: skip


@dataclass(frozen=True)
class SessionLine:
    """A prompt or a time line."""

    host: str = ""
    command: str = ""
    time_ns: int | None = None
    left_out: bool = False


LEFT_OUT = SessionLine(left_out=True)
"""A line in place of others of the same listing."""


def read_session_line(line: str, *, command_before: str = "") -> SessionLine | None:
    """What a prompt or time line says; None for the lines of a dump.

    `command_before` is the last command typed: a bare epoch number counts as a time only behind `date`.
    """
    text = line.strip()
    if not text or len(text) > 4096 or line.startswith(_INDENTED):
        return None
    if text in _MARKS or (len(text) <= _LONGEST_MARK and _LEFT_OUT.match(text)):
        return LEFT_OUT
    if _FENCE.match(text) or _TAG.match(text) or _ERRORS.match(text) or _NOTES.match(text):
        return SessionLine()
    return _time_line(text, command_before) or _prompt(text) or _heading(text)


def read_typed_line(line: str) -> SessionLine | None:
    """A command that somebody typed or quoted without a prompt, e.g. ``kubectl get nodes -o wide``; only for lines of
    no known format, of which such words may begin one."""
    text = line.strip()
    quoted = _QUOTED.match(text)
    command = quoted["command"] if quoted else text.removesuffix(":")
    words = command.split()
    if not words or line[:1] in " \t" or len(text) > 1024 or not _is_command(words[0]):
        return None
    if quoted or words[0].startswith("./") or _TYPED.match(command):
        return SessionLine(command=command)
    return None


def _is_command(word: str) -> bool:
    return word.rsplit("/", 1)[-1].rstrip(";") in _COMMANDS


def _time_line(text: str, command_before: str) -> SessionLine | None:
    if text[0].isdigit() and command_before.startswith("date"):
        epoch = epoch_time_ns(text)
        if epoch is not None:
            return SessionLine(time_ns=epoch)
    if is_only_a_time(text):
        return SessionLine(time_ns=stated_time_ns(text))
    ruled = _RULED_LINE.match(text)
    if ruled is None:
        return None
    stated = ruled["text"].rstrip("=-#+ \t")
    time_ns = stated_time_ns(stated)
    if time_ns is None:
        time_ns = epoch_time_ns(stated.split(" ", 1)[0])
    return None if time_ns is None else SessionLine(time_ns=time_ns)


def _heading(text: str) -> SessionLine | None:
    """A file's name as `tail` prints it, a command between rules, or anything closed in by rules on both sides."""
    file = _FILE_HEADING.match(text)
    if file is not None:
        return SessionLine(command=f"cat {file['path']}")
    ruled = _RULED_LINE.match(text)
    if ruled is None:
        return None
    stated = ruled["text"].strip("=-#+* \t") if _CLOSED_RULE.match(text) else ruled["text"].strip()
    if stated.split(" ", 1)[0].rsplit("/", 1)[-1] in _COMMANDS:
        return SessionLine(command=stated)
    return SessionLine() if _CLOSED_RULE.match(text) else None


def _prompt(text: str) -> SessionLine | None:
    named = _NAMED_PROMPT.match(text)
    if named:
        return SessionLine(host=named["host"], command=(named["command"] or "").strip())
    bare = _BARE_PROMPT.match(text)
    if bare is None:
        return None
    command = bare["command"].strip()
    first = command.split(" ", 1)[0]
    if not (_is_command(first) or first.startswith("./")):
        return None
    hosted = _HOST_PROMPT.match(text)
    return SessionLine(host=hosted["host"] if hosted else "", command=command)
