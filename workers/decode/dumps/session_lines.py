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
_BARE_PROMPT = re.compile(r"(?:bash-[\d.]{1,8}|sh-[\d.]{1,8}|~|/[\w./-]{0,255})? ?[#$%] ?(?P<command>.*)$")
_RULED_LINE = re.compile(r"(?:={2,}|-{2,}|#{1,6}|\+{2,})\s?(?P<text>\S.{0,200})$")
_FILE_HEADING = re.compile(r"==> (?P<path>\S.{0,1000}) <==$")
_CLOSED_RULE = re.compile(r"(?P<rule>={3,}|-{3,}|#{3,}|\*{3,}) ?\S.{0,200}?\S? ?(?P=rule)$")
_MARKS = frozenset(("```", "~~~"))
"""Ends of quoted blocks."""
_INDENTED = " " * 8
"""Nobody types there: reports underline their columns so."""
# A bare `#` also begins comments, so the command behind it has to be one that people run here.
_COMMANDS = frozenset(
    (
        "awk", "cat", "conntrack", "cp", "curl", "date", "docker", "echo", "for", "grep", "head",
        "hostname", "ip", "ip6tables-save", "iptables", "iptables-save", "ipvsadm", "journalctl", "k3s",
        "kubectl", "ls", "netstat", "nft", "nsenter", "nstat", "ping", "podman", "sleep", "ss", "sudo",
        "sysctl", "tail", "tcpdump", "uname", "uptime", "watch", "while", "ab", "dmesg", "ethtool",
        "arp", "arping", "bpftrace", "brctl", "bridge", "calicoctl", "cilium", "crictl", "dig", "dropwatch", "hubble",
        "ifconfig", "ip6tables", "ipset", "iptables-legacy", "iptables-nft", "kubectl-gadget", "lsmod", "modprobe",
        "mtr", "nc", "netcat", "nslookup", "oc", "perf", "pwru", "route", "ssh", "telnet", "traceroute", "tracepath",
        "tshark", "wget", "telnet", "crictl", "ip6tables", "retina",
    )
)  # fmt: skip


@dataclass(frozen=True)
class SessionLine:
    """A prompt or a time line."""

    host: str = ""
    command: str = ""
    time_ns: int | None = None


def read_session_line(line: str, *, command_before: str = "") -> SessionLine | None:
    """What a prompt or time line says; None for the lines of a dump.

    `command_before` is the last command typed: a bare epoch number counts as a time only behind `date`.
    """
    text = line.strip()
    if not text or len(text) > 4096 or line.startswith(_INDENTED):
        return None
    if text in _MARKS:
        return SessionLine()
    return _time_line(text, command_before) or _prompt(text) or _heading(text)


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
    first_word = command.split(" ", 1)[0].rsplit("/", 1)[-1]
    return SessionLine(command=command) if first_word.rstrip(";") in _COMMANDS else None
