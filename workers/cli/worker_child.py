"""The worker that `serve` starts beside itself, and starts again when it dies."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from types import TracebackType

from backend.settings import Settings

PAUSE_S = 0.5
LONGEST_PAUSE_S = 10.0
"""Between two starts; it doubles each time, so that a worker that cannot start does not eat the machine."""
LIVED_S = 30.0
"""A worker that lived this long did start."""
STOP_AFTER_S = 5.0
SECRETS = ("STALLSCOPE_ADMIN_PASSWORD", "STALLSCOPE_OIDC_CLIENT_SECRET", "STALLSCOPE_TOKEN")


class WorkerChild:
    """A context: the worker lives inside it, and dies with the thread that started it."""

    def __init__(self, settings: Settings) -> None:
        self._command = [sys.executable, "-m", "workers.cli.main", "worker", "--parent", str(os.getpid())]
        self._environment = {
            # A worker reads hostile files and has no need of anybody's secrets.
            **{name: value for name, value in os.environ.items() if name not in SECRETS},
            "STALLSCOPE_DATA": str(settings.data),
            "STALLSCOPE_DATABASE_URL": settings.database_url,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="worker-keeper", daemon=True)

    def __enter__(self) -> WorkerChild:
        self._keeper.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        if self._process is not None:
            self._process.terminate()
        self._keeper.join(STOP_AFTER_S)
        if self._process is not None and self._process.poll() is None:
            self._process.kill()

    def _keep(self) -> None:
        pause_s = PAUSE_S
        while not self._stopping.is_set():
            started = time.monotonic()
            self._process = subprocess.Popen(
                self._command, env=self._environment, stdin=subprocess.DEVNULL, stdout=sys.stderr
            )
            code = self._process.wait()
            if not self._stopping.is_set():
                print(
                    f"stallscope: the worker ended ({code}); starting it again.", file=sys.stderr, flush=True
                )
            pause_s = PAUSE_S if time.monotonic() - started > LIVED_S else min(2 * pause_s, LONGEST_PAUSE_S)
            self._stopping.wait(pause_s)
