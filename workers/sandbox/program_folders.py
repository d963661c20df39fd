"""Where interpreter, packages, libraries and tshark lie: all that a child reads beside the files of its work."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import backend
import workers

_PARTS: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "share")
"""Of a prefix: beside them somebody's own folders may lie."""
_SYSTEM: Final = ("/bin", "/lib", "/lib32", "/lib64", "/nix/store", "/sys/devices/system/cpu")


def folders_of_programs(hidden: Sequence[Path] = ()) -> list[Path]:
    """Those folders; of one that holds something hidden, what else is in it."""
    away = [each.resolve() for each in hidden]
    return [each for folder in all_folders() for each in _without(folder, away)]


@cache
def all_folders() -> tuple[Path, ...]:
    """Found once, before the first child: children inherit the answer."""
    return tuple(sorted({Path(each).resolve() for each in (*_SYSTEM, *_of_prefixes(), *_packages())}))


def _of_prefixes() -> Iterator[str]:
    prefixes = {"/usr", "/usr/local", sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    tshark = shutil.which("tshark")
    if tshark is not None:
        prefixes.add(str(Path(tshark).resolve().parents[1]))
    for prefix in prefixes:
        yield from (f"{prefix}/{part}" for part in _PARTS)


def _packages() -> Iterator[str]:
    for package in (backend, workers):
        yield from package.__path__
    yield from (path for path in sys.path if path.endswith(("site-packages", "dist-packages")))
    paths = sysconfig.get_paths()
    yield from (paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def _without(folder: Path, hidden: Sequence[Path]) -> Iterator[Path]:
    inside = [each for each in hidden if each.is_relative_to(folder)]
    if not inside:
        yield folder
    elif folder not in inside and folder.is_dir():
        # A rule for a link is one for what it leads to.
        for entry in folder.iterdir():
            if not entry.is_symlink():
                yield from _without(entry, inside)
