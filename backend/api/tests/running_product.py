"""`stallscope serve` as a process of its own: a real server and a real worker."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

DEMO = Path(__file__).parents[2] / "demo"
PATIENCE_S = 180.0


@dataclass(frozen=True)
class Product:
    """A running one."""

    process: subprocess.Popen[str]
    address: str
    data: Path
    log: Path

    @property
    def api(self) -> str:
        """Prefix of the API's addresses."""
        return f"{self.address}/api/v1"

    def client(self) -> httpx.Client:
        """A client of the API that trusts the environment with nothing."""
        return httpx.Client(base_url=self.api, timeout=PATIENCE_S, trust_env=False)

    def new_investigation(self, label: str = "checkout is slow") -> str:
        """Its id."""
        with self.client() as client:
            created: str = (
                client.post("/investigations", json={"label": label}).raise_for_status().json()["id"]
            )
        return created

    def wait_for(self, investigation: str, is_reached: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first progress that is so."""
        deadline = time.monotonic() + PATIENCE_S
        with self.client() as client:
            while time.monotonic() < deadline:
                progress: dict[str, Any] = client.get(f"/investigations/{investigation}/progress").json()
                if is_reached(progress):
                    return progress
                time.sleep(0.02)
        raise AssertionError(f"not reached: {progress}\n{self.log.read_text()}")

    def wait_until_over(self, investigation: str) -> dict[str, Any]:
        """The last progress of an analysis."""
        return self.wait_for(
            investigation, lambda now: now["analysis"] in ("finished", "failed", "cancelled")
        )

    def worker_pids(self) -> list[int]:
        """The worker that `serve` started."""
        return children_of(self.process.pid)


def children_of(pid: int) -> list[int]:
    """Processes that this process has started, by what each says of its parent: lists of children leave some out while
    others end (proc(5), /proc/[pid]/task/[tid]/children)."""
    return [int(each.parent.name) for each in Path("/proc").glob("[0-9]*/stat") if _parent_of(each) == pid]


def _parent_of(stat: Path) -> int | None:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None  # it has ended


@contextmanager
def running_product(
    folder: Path, data: Path | None = None, /, *, within: Sequence[str] = (), **settings: str
) -> Iterator[Product]:
    """A product with its log in `folder` and its data there or in `data`; settings are names without STALLSCOPE_,
    `within` a command around it."""
    data = data or folder / "data"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STALLSCOPE_")}
    environment |= {f"STALLSCOPE_{name}": value for name, value in settings.items()}
    log = folder / "serve.log"
    command = [
        *within,
        sys.executable,
        "-m",
        "workers.cli.main",
        "serve",
        "--port",
        "0",
        "--data",
        str(data),
    ]
    with log.open("w") as stderr:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=environment,
            cwd=Path(__file__).parents[3],
        )
    try:
        assert process.stdout is not None
        said = re.search(r"http://\S+:\d+", process.stdout.readline())
        assert said is not None, log.read_text()
        yield Product(process, said.group(), data, log)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)
        assert process.stdout is not None
        process.stdout.close()
