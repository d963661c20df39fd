"""Every command ends as it would with a reader, where nobody reads its standard output, its standard error, or both."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from backend.api.tests.running_product import DEMO, PATIENCE_S, Product
from workers.cli.main import command_names, load_command

COUNTERS = str(DEMO / "snat-race-healthy" / "conntrack-S-after.txt")
HEALTHY = str(DEMO / "snat-race-healthy" / "any.pcap")
INCIDENT = str(DEMO / "snat-race" / "three-interfaces.pcapng")
COMMAND = [sys.executable, "-m", "workers.cli.main"]
LEFT = [("stdout",), ("stderr",), ("stdout", "stderr")]

Lines = Callable[[str, Path], list[list[str]]]
ENDING: dict[str, Lines] = {
    "analyze": lambda _, folder: [
        ["analyze", INCIDENT, "--fail-on", "warning"],
        ["analyze", INCIDENT, "--fail-on", "warning", "--json", "-"],
        ["analyze", str(folder / "none")],
    ],
    "anonymize": lambda _, folder: [["anonymise", COUNTERS, "--out", str(folder / "out.tar.gz")]],
    "collect": lambda *_: [["collect"], ["collect", "--duration", "-1"]],
    "compare": lambda *_: [["compare", HEALTHY, INCIDENT, "--fail-on", "warning"]],
    "upload": lambda server, _: [
        ["upload", INCIDENT, "--server", server, "--fail-on", "warning"],
        ["upload", INCIDENT, "--server", "http://127.0.0.1:9"],
    ],
}
LASTING = ("demo", "serve", "worker")


def commands() -> list[str]:
    return sorted(found.NAME for name in command_names() if (found := load_command(name)))


def started(line: list[str], left: tuple[str, ...], **more: str) -> subprocess.Popen[bytes]:
    """With a pipe that nobody reads any more as these streams."""
    reading, writing = os.pipe()
    os.close(reading)
    streams = {name: writing if name in left else subprocess.DEVNULL for name in ("stdout", "stderr")}
    environment = {**os.environ, **more}
    process = subprocess.Popen(
        [*COMMAND, *line], stdout=streams["stdout"], stderr=streams["stderr"], env=environment
    )
    os.close(writing)
    return process


def test_every_command_is_in_these_tests() -> None:
    assert commands() == sorted([*ENDING, *LASTING])


@pytest.mark.parametrize("name", commands())
def test_help_ends_with_0(name: str) -> None:
    assert started([name, "--help"], ("stdout",)).wait() == 0


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name != "compare")) for name in ENDING]
)
def test_its_exit_code_stays(name: str, shared_product: Product, tmp_path: Path) -> None:
    for line in ENDING[name](shared_product.address, tmp_path):
        with_readers = started(line, ()).wait()
        assert {left: started(line, left).wait() for left in LEFT} == dict.fromkeys(LEFT, with_readers), line


def test_a_gate_in_a_pipe_fails() -> None:
    line = " ".join([*COMMAND, "compare", HEALTHY, INCIDENT, "--fail-on", "warning"])
    script = f"set -o pipefail; {line} 2>&1 | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", script], check=False).returncode == 1


def test_a_report_by_the_name_of_a_pipe() -> None:
    line = ["analyze", INCIDENT, "--fail-on", "warning", "--json", "/dev/stdout"]
    assert started(line, ("stdout",)).wait() == 1


def test_streams_that_were_never_open() -> None:
    line = " ".join([*COMMAND, "analyze", INCIDENT, "--fail-on", "warning"])
    assert (
        subprocess.run(["bash", "-c", f"{line} >&-"], check=False, stderr=subprocess.DEVNULL).returncode == 1
    )
    assert subprocess.run(["bash", "-c", f"{line} >&- 2>&-"], check=False).returncode == 1


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name != "serve")) for name in LASTING]
)
def test_it_goes_on_until_it_is_told_to_stop(name: str, tmp_path: Path) -> None:
    port = free_port()
    line = [name, "--data", str(tmp_path), *(["--port", str(port)] if name != "worker" else [])]
    process = started(line, ("stdout", "stderr"))
    try:
        wait_until(lambda: answers(port) if name != "worker" else (tmp_path / "stallscope.sqlite").exists())
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def answers(port: int) -> bool:
    with suppress(OSError):
        return bool(urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60).status == 200)
    return False


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)
