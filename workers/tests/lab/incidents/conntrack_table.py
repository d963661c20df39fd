"""A node whose connection table is full.

The limit is the machine's (only the first network namespace may set it), the table is the namespace's own: so it is
filled with as many made-up entries as the limit asks for.
"""

from __future__ import annotations

import subprocess
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from workers.tests.lab.hosts import NAMESPACES, Host
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident, nothing_wrong
from workers.tests.lab.programs import make_calls
from workers.tests.lab.recording import session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workers.tests.lab.star import Star

FREE_ENTRIES = 30
HELD_S = 600
TIMEOUT_S = 5
DURING = ("date -u", "conntrack -C", "sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max")


def _fill(lab: Lab, node: Host) -> None:
    """Put established, assured entries into the node's table until few are free."""
    limit = int(node.run("sysctl", "-n", "net.netfilter.nf_conntrack_max"))
    listing = lab.folder / "fill"
    listing.write_text("\n".join(_entries(limit - FREE_ENTRIES)) + "\n")
    node.run("conntrack", "-R", str(listing))
    listing.unlink()
    lab.truth["limit"] = limit


def _entries(count: int) -> Iterator[str]:
    for index in range(count):
        client = f"198.18.{index >> 8 & 255}.{index & 255}"
        port = 1024 + (index >> 16)
        yield (
            f"-I -p tcp -s {client} -d 198.19.0.1 -r 198.19.0.1 -q {client} --sport {port} --dport 80"
            f" --reply-port-src 80 --reply-port-dst {port} --state ESTABLISHED -u ASSURED,SEEN_REPLY -t {HELD_S}"
        )


def _run(lab: Lab, full: bool) -> None:
    star = lab.star(pods=3, servers=2)
    star.serve()
    if full:
        _fill(lab, star.node)
    calls = [replace(call, timeout_s=TIMEOUT_S) for call in star.calls(110, 5)]
    with lab.recorded(star):
        listed = star.node.start(_list_during, lab, star)
        lab.calls = make_calls(calls)
        listed.result()
    (lab.folder / f"{star.node.prompt}-dmesg.txt").write_text(_kernel_log(lab, star.node))


def _list_during(lab: Lab, star: Star) -> None:
    time.sleep(4)
    (lab.folder / f"{star.node.prompt}-during.txt").write_text(session(star.node, DURING))


def _kernel_log(lab: Lab, node: Host) -> str:
    """The kernel's log lines about this namespace; where the log can't be read, the prompt alone."""
    namespace = f"netns {(NAMESPACES / node.name).stat().st_ino},"
    log = subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout
    lines = [line for line in log.splitlines() if "table full" in line and namespace in line]
    lab.truth["log_lines"] = len(lines)
    return (
        "\n".join([f"root@{node.prompt}:~# dmesg | grep conntrack", *lines, f"root@{node.prompt}:~# "]) + "\n"
    )


@incident(
    "conntrack-full", "conntrack-full", "the node's table is at nf_conntrack_max: new connections are dropped"
)
def conntrack_full(lab: Lab) -> list[Case]:
    """The table stays full for the whole capture."""
    _run(lab, full=True)
    full = ("conntrack-full",)
    return [
        Case("all", EVERYTHING, full, (), 0.7, lab.delayed_bounds()),
        Case("node", ("node.pcap",), (*full, "node-drop", "unknown"), findings=lab.delayed_bounds()),
        Case("client", ("pod0.pcap",), allowed=full),
    ]


@incident("conntrack-free", None, "twin of conntrack-full: the same load, a table with room")
def conntrack_free(lab: Lab) -> list[Case]:
    """Every connection gets its entry."""
    _run(lab, full=False)
    return nothing_wrong()
