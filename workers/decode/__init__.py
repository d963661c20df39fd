"""The only place that parses uploaded bytes.

The packet loop is compiled once for each version of it and each kind of processor; the machine code is kept in
``NUMBA_CACHE_DIR``, or where importing this package points that."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

import backend.forensics

_HERE: Final = Path(__file__).parent
_RECORDS: Final = tuple(
    Path(backend.forensics.__file__).parent / f"{name}.py"
    for name in (
        "connections", "dumps/conntrack", "messages", "packets", "round_trips", "signals", "tunnels"
    )
)  # fmt: skip
"""Where the records are described that compiled code works on."""
_USED_BY_MESSAGES: Final = (
    "compiler", "credential_signs", "emit", "machine", "message_records", "notice", "octets", "records", "wide"
)  # fmt: skip
"""Modules of the loop whose code is compiled into the reading of messages, or compiles it."""


def _version(sources: Iterable[Path]) -> str:
    """A short hash of sources that are compiled."""
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


@cache
def loop_cache() -> str:
    """Where the machine code is kept of all but messages."""
    folders = ("conntrack", "loop", "round_trips", "signals")
    sources = [
        source
        for folder in folders
        for source in (_HERE / folder).glob("*.py")
        if source.name not in ("packed_file.py", "reader.py", "reading.py")  # plain Python
    ]
    version = _version((*_RECORDS, *sources, _HERE / "translated.py"))
    return str(Path(os.environ["NUMBA_CACHE_DIR"]) / version)


@cache
def messages_cache() -> str:
    """Where the machine code for messages is kept: beside the loop's, which changes more often."""
    sources = [source for source in (_HERE / "messages").glob("*.py") if source.name != "reader.py"]
    version = _version((*_RECORDS, *sources, *(_HERE / "loop" / f"{name}.py" for name in _USED_BY_MESSAGES)))
    return str(Path(os.environ["NUMBA_CACHE_DIR"]) / f"messages-{version}")


@cache
def anonymiser_cache() -> str:
    """Where the machine code for anonymised captures is kept: few need it, so it is compiled when it is asked for."""
    sources = [*(_HERE / "loop").glob("*.py"), *(_HERE / "anonymise" / "loop").glob("*.py")]
    return str(Path(os.environ["NUMBA_CACHE_DIR"]) / f"anonymiser-{_version((*_RECORDS, *sources))}")


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
        if _is_writable(folder / "numba"):
            return folder / "numba"
    return Path(tempfile.gettempdir()) / f"stallscope-{os.getuid()}" / "numba"


# Absolute, because children that inherit it work in another folder.
os.environ["NUMBA_CACHE_DIR"] = str(Path(os.environ.get("NUMBA_CACHE_DIR") or _cache_folder()).absolute())
