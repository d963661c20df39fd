"""The only place that parses uploaded bytes.

Importing this package points numba at a writable cache folder, which has to happen before numba is imported:
without one a read-only installation fails, and the packet loop would be compiled again by each process.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path


def _loop_version() -> str:
    """A short hash of the compiled sources: numba itself notices changes in one file only."""
    digest = hashlib.sha256()
    for folder in ("conntrack", "loop"):
        for source in sorted((Path(__file__).parent / folder).glob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


_USED_BY_MESSAGES = ("compiler", "message_records", "notice", "octets", "records")
"""Modules of the loop whose code is compiled into the reading of messages."""


def messages_version() -> str:
    """The same of what reads messages."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    sources = [
        *(
            source for source in (here / "messages").glob("*.py") if source.name != "reader.py"
        ),  # plain Python
        *(here / "loop" / f"{name}.py" for name in _USED_BY_MESSAGES),
    ]
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def round_trips_version() -> str:
    """The same of what samples round trips."""
    source = Path(__file__).parent / "round_trips" / "sampling.py"
    return hashlib.sha256(source.read_bytes()).hexdigest()[:12]


def signals_version() -> str:
    """The same of what picks signals."""
    source = Path(__file__).parent / "signals" / "picking.py"
    return hashlib.sha256(source.read_bytes()).hexdigest()[:12]


def messages_cache() -> str:
    """Where the machine code for messages is kept: beside the loop's, which changes more often."""
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    if folder.name != _loop_version():  # a folder that somebody chose
        return str(folder)
    return str(folder.with_name(f"messages-{messages_version()}"))


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _cache_folder() -> Path:
    """The first writable one of $STALLSCOPE_CACHE, the user's cache folder, a temporary folder."""
    chosen = os.environ.get("STALLSCOPE_CACHE")
    user = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folders = [Path(chosen)] if chosen else []
    folders.append(Path(user) / "stallscope")
    for folder in folders:
        if _is_writable(folder / "numba" / _loop_version()):
            return folder / "numba" / _loop_version()
    return Path(tempfile.gettempdir()) / f"stallscope-{os.getuid()}" / "numba" / _loop_version()


def _prepare_cache() -> None:
    if "NUMBA_CACHE_DIR" not in os.environ:
        os.environ["NUMBA_CACHE_DIR"] = str(_cache_folder())
    numba = sys.modules.get("numba")
    if numba is not None:  # somebody imported it first: it has read its settings already
        numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]


_prepare_cache()
