"""`stallscope worker`: one more worker against the configured database and store."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from workers.cli.exit_codes import EXIT_DONE, EXIT_USAGE

if TYPE_CHECKING:
    import threading

    from backend.settings import Settings
    from backend.storage.store import Store

NAME = "worker"
DATABASE_PAUSE_S = 2.0
HELP = "one more worker against the configured database and store"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--data", type=Path, help="folder of uploads and packet tables (STALLSCOPE_DATA)")
    parser.add_argument("--parent", type=int, help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Work until asked to stop."""
    import signal
    import threading

    from backend.errors import StallscopeError
    from backend.settings import read_settings
    from workers.cli.log import log_to_stderr
    from workers.cli.main import tool_version
    from workers.cli.private_files import keep_others_out
    from workers.confinement.kernel import die_with_parent

    log_to_stderr()
    keep_others_out()
    if arguments.parent is not None:
        die_with_parent(arguments.parent)
    from workers.job_engine import JobEngine

    settings = read_settings({"data": arguments.data})
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    try:
        store = open_when_reachable(settings, stopped)
        if store is None:
            return EXIT_DONE
        engine = JobEngine(store, tool_version())
        engine.start()
    except StallscopeError as error:
        print(f"stallscope: {error.sentence}", file=sys.stderr)
        return EXIT_USAGE
    print("stallscope worker: ready", file=sys.stderr, flush=True)
    stopped.wait()
    engine.stop()
    return leave()


def open_when_reachable(settings: Settings, stopped: threading.Event) -> Store | None:
    """Waits for a database that is away; None when the worker is asked to stop meanwhile."""
    from backend.errors import Unavailable
    from backend.storage.store import open_store

    while not stopped.is_set():
        try:
            return open_store(settings, migrate=True)
        except Unavailable as error:
            print(f"stallscope worker: {error.sentence} Trying again.", file=sys.stderr, flush=True)
        stopped.wait(DATABASE_PAUSE_S)
    return None


def leave() -> NoReturn:
    """End at once: threads in the middle of a job never return, for the job is the next worker's."""
    os._exit(EXIT_DONE)
