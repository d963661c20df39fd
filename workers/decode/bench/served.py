"""A started product with one analysed capture, for questions to be timed."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from workers.decode.bench.measure import CommandFailed

LABEL: Final = "bench"
_PIECE_BYTES: Final = 1 << 20
_CLOCK_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_PATIENCE_S: Final = 1800.0


@dataclass(frozen=True)
class Answer:
    """One answer: from the first byte asked to the last one read; `cpu_s` is the server's."""

    wall_s: float
    cpu_s: float
    bytes: int
    body: Any


class Served:
    """The server and its investigation."""

    def __init__(self, address: str, pid: int) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=_PATIENCE_S)
        self.pid = pid
        self.investigation = ""

    def ask(self, path: str, **parameters: str | int) -> Answer:
        """GET of a part of the investigation."""
        where = f"/api/v1/investigations/{self.investigation}/{path}"
        if parameters:
            where += f"?{urlencode({name.rstrip('_'): value for name, value in parameters.items()})}"
        before_s, started = self._cpu_s(), time.perf_counter()
        content = self._send("GET", where)
        wall_s = time.perf_counter() - started
        return Answer(wall_s, self._cpu_s() - before_s, len(content), json.loads(content))

    def open(self, capture: Path) -> None:
        """The investigation of an earlier run, or a new one with that capture; returns when it is analyzed."""
        listed = json.loads(self._send("GET", "/api/v1/investigations"))["items"]
        known = [each["id"] for each in listed if each["label"] == LABEL]
        self.investigation = known[0] if known else self._new(capture)
        deadline = time.monotonic() + _PATIENCE_S
        while (now := self.ask("progress").body)["analysis"] != "finished":
            if now["analysis"] == "failed" or time.monotonic() > deadline:
                raise CommandFailed(f"the analysis of {capture} did not finish: {now['message']}")
            time.sleep(0.2)

    def _new(self, capture: Path) -> str:
        made = json.loads(self._send("POST", "/api/v1/investigations", json.dumps({"label": LABEL}).encode()))
        with capture.open("rb") as content:
            headers = {
                "Content-Type": "application/octet-stream",
                "Content-Length": str(capture.stat().st_size),
            }
            where = f"/api/v1/investigations/{made['id']}/files/{capture.name}"
            self._connection.request("PUT", where, iter(lambda: content.read(_PIECE_BYTES), b""), headers)
            self._read(where)
        return str(made["id"])

    def _send(self, method: str, where: str, body: bytes | None = None) -> bytes:
        self._connection.request(method, where, body, {"Content-Type": "application/json"})
        return self._read(where)

    def _read(self, where: str) -> bytes:
        response = self._connection.getresponse()
        content = response.read()
        if response.status >= 300:
            raise CommandFailed(f"{where}: {response.status} {content[:500]!r}")
        return content

    def _cpu_s(self) -> float:
        # Behind the name, which may hold spaces: state is the first, utime and stime the 12th and 13th.
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _CLOCK_TICKS_PER_S


@contextmanager
def served(data: Path) -> Iterator[Served]:
    """`stallscope serve` on a port of its own, with its data in that folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STALLSCOPE_")}
    command = [sys.executable, "-m", "workers.cli.main", "serve", "--port", "0", "--data", str(data)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        said = re.search(r"http://\S+:\d+", process.stdout.readline())
        if said is None:
            raise CommandFailed(f"{' '.join(command)} did not start")
        yield Served(said.group(), process.pid)
    finally:
        process.terminate()
        process.wait(timeout=60)
        process.stdout.close()
