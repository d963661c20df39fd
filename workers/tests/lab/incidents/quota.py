"""A server whose control group has a CPU quota."""

from __future__ import annotations

import multiprocessing
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workers.tests.lab.hosts import CommandFailedError, Host
from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident
from workers.tests.lab.programs import Request, make_calls, read_message
from workers.tests.lab.recording import session

if TYPE_CHECKING:
    from workers.tests.lab.star import Star

GROUPS = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
"""The CPU controller of version 1, and the tree of version 2."""
PERIOD_US = 100_000
CALLS, HEAVY_EACH = 90, 9
RUN_S = 9.0


@contextmanager
def _group(quota_us: int | None) -> Iterator[Path]:
    """A control group with this quota for each period of 100 ms; gone with its processes afterwards."""
    root = GROUPS[0] if (GROUPS[0] / "cpu.cfs_quota_us").exists() else GROUPS[1]
    if not any((root / name).exists() for name in ("cpu.cfs_quota_us", "cgroup.controllers")):
        raise CommandFailedError("no control group with a CPU controller can be made here")
    group = root / f"web-{os.getpid()}-{time.time_ns()}.service"
    group.mkdir()
    try:
        if quota_us is not None and root == GROUPS[0]:
            (group / "cpu.cfs_quota_us").write_text(str(quota_us))
        elif quota_us is not None:
            (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}")
        yield group
    finally:
        _remove(group)


def _remove(group: Path) -> None:
    while pids := (group / "cgroup.procs").read_text().split():
        for pid in pids:
            os.kill(int(pid), 9)
        time.sleep(0.05)
    group.rmdir()


def _counters(group: Path) -> dict[str, int]:
    rows = (line.split() for line in (group / "cpu.stat").read_text().splitlines())
    return {name: int(value) for name, value in rows}


def _serve(host: Host, port: int, group: Path, ready: threading.Event) -> None:
    """A process of the group: `/burn/MS` computes for so many milliseconds of CPU time and answers."""
    (group / "cgroup.procs").write_text(str(os.getpid()))
    host.enter()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("", port))
        listener.listen(512)
        ready.set()
        while True:
            peer, _ = listener.accept()
            threading.Thread(target=_answer, args=(peer,), daemon=True).start()


def _answer(peer: socket.socket) -> None:
    with peer:
        try:
            while True:
                burnt_s = int(read_message(peer).split()[1].rpartition("/")[2]) / 1000
                until = time.thread_time() + burnt_s
                while time.thread_time() < until:
                    pass
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
        except OSError:
            return


def _calls(lab: Lab, star: Star) -> None:
    heavy_ms = lab.random.randrange(90, 140)
    calls = []
    for index, call in enumerate(star.calls(CALLS, RUN_S)):
        burn = heavy_ms if index % HEAVY_EACH == 4 else lab.random.randrange(1, 3)
        calls.append(replace(call, requests=(Request(f"/burn/{burn:04}"),), timeout_s=20))
    lab.calls = make_calls(calls)
    slowest = sorted(max(call.request_ms, default=0) for call in lab.calls)
    lab.truth |= {
        "heavy_cpu_ms": heavy_ms,
        "slowest_ms": slowest[-1],
        "over_half_second": sum(s > 500 for s in slowest),
    }


def _run(lab: Lab, quota_us: int | None) -> None:
    star = lab.star()
    context = multiprocessing.get_context("fork")
    host = star.servers[0]
    with _group(quota_us) as group:
        ready = context.Event()
        context.Process(target=_serve, args=(host, star.port, group, ready), daemon=True).start()
        ready.wait(30)
        shown = (f"cat {group}/cpu.stat",)
        with lab.recorded(star):
            (lab.folder / f"{host.prompt}-cpu-before.txt").write_text(session(host, ("date -u", *shown)))
            before = _counters(group)
            _calls(lab, star)
            (lab.folder / f"{host.prompt}-cpu-after.txt").write_text(session(host, ("date -u", *shown)))
        after = _counters(group)
    lab.truth |= {"quota_us": quota_us, "cpu_stat": {name: after[name] - before[name] for name in after}}


@incident("cpu-quota", "cpu-quota-throttling", "the server's cgroup exhausts its CPU quota and is throttled")
def cpu_quota(lab: Lab) -> list[Case]:
    """The scheduler stops all threads of the group until the next period of 100 ms."""
    _run(lab, lab.random.choice((12_000, 15_000, 20_000)))
    quota = ("cpu-quota-throttling", "slow-server")  # the second is what is seen of the first
    return [
        Case("all", EVERYTHING, quota, (), 0.5, named=("cpu-quota-throttling",)),
        Case("client", ("pod0.pcap",), allowed=quota),
        Case("server", ("server0.pcap",), allowed=quota),
    ]


@incident("cpu-no-quota", None, "twin of cpu-quota: the same requests and CPU time, no quota")
def cpu_no_quota(lab: Lab) -> list[Case]:
    """As slow as computing is."""
    _run(lab, None)
    slow = ("slow-server",)  # it is, where the machine has other work
    return [
        Case("all", EVERYTHING, allowed=slow),
        Case("client", ("pod0.pcap",), allowed=slow),
        Case("server", ("server0.pcap",), allowed=slow),
    ]
