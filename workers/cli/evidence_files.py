"""Which files the command line means, what each is called in the report, and what was said about it."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.cli.usage import WrongUsage


@dataclass(frozen=True)
class EvidenceFile:
    """One file to analyse."""

    path: Path
    name: str
    """As the report calls it; unique among the files of one run."""
    host: str | None = None
    captured_at_ns: int | None = None
    origin: str = ""
    """The folder or bundle it came in, empty when it was given by itself."""
    bundle: str | None = None


def find_evidence_files(
    given: Sequence[str], *, hosts: Mapping[str, str], times_ns: Mapping[str, int]
) -> list[EvidenceFile]:
    """The files meant by the arguments; a directory stands for all the files in it but hidden ones.

    `hosts` and `times_ns` are keyed as the user wrote FILE: an argument, a path, or a name in the report.
    Raises WrongUsage where one of them matches no file.
    """
    first_met: dict[Path, tuple[str, Path]] = {}
    for argument in given:
        for path in _files_of(Path(argument)):
            first_met.setdefault(path.resolve(), (argument, path))
    unique = list(first_met.values())
    names = _names([path for _, path in unique])
    files = []
    used: set[str] = set()
    for (argument, path), name in zip(unique, names, strict=True):
        # What is said about one file goes before what is said about its folder.
        said_as = [
            key for key in (name, str(path), argument, argument.rstrip("/")) if key in {*hosts, *times_ns}
        ]
        used.update(said_as)
        host = next((hosts[key] for key in said_as if key in hosts), None)
        time_ns = next((times_ns[key] for key in said_as if key in times_ns), None)
        origin = str(Path(argument).resolve()) if Path(argument).is_dir() else ""
        files.append(EvidenceFile(path, name, host, time_ns, origin))
    for key in (*hosts, *times_ns):
        if key not in used:
            raise WrongUsage(f"--at or --host names “{key}”, which is none of the files given.")
    return files


def add_origins(add: Callable[..., object]) -> None:
    """The options that say of a file what it does not say itself."""
    add(
        "--at", action="append", default=[], metavar="FILE=TIME", help="when a dump was taken (RFC 3339, UTC)"
    )
    add("--host", action="append", default=[], metavar="FILE=NAME", help="the host a file comes from")


def files_meant(arguments: argparse.Namespace) -> list[EvidenceFile]:
    """Of the arguments `files`, `at` and `host`; raises WrongUsage."""
    return find_evidence_files(
        arguments.files,
        hosts=read_pairs(arguments.host, option="--host", form="FILE=NAME"),
        times_ns=_read_times(read_pairs(arguments.at, option="--at", form="FILE=TIME")),
    )


def _read_times(pairs: dict[str, str]) -> dict[str, int]:
    if not pairs:
        return {}
    from workers.decode.dumps.stated_times import epoch_time_ns, stated_time_ns

    times: dict[str, int] = {}
    for file, text in pairs.items():
        epoch_ns = epoch_time_ns(text)
        time_ns = stated_time_ns(text) if epoch_ns is None else epoch_ns
        if time_ns is None:
            raise WrongUsage(f"--at got an invalid time “{text}”; expected format 2026-11-21T01:11:41Z.")
        times[file] = time_ns
    return times


def read_pairs(pairs: Sequence[str], *, option: str, form: str) -> dict[str, str]:
    """``FILE=VALUE`` arguments as a mapping; the last `=` divides, for a file name may hold one."""
    read: dict[str, str] = {}
    for pair in pairs:
        file, equals, value = pair.rpartition("=")
        if not equals or not file or not value:
            raise WrongUsage(f"{option} needs {form}, not “{pair}”.")
        read[file] = value
    return read


def _files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(
        file
        for file in path.rglob("*")
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts)
    )


def _names(paths: Sequence[Path]) -> list[str]:
    """File names; where two are the same, as much of their folders as distinguishes them."""
    resolved = [path.resolve().parts for path in paths]
    depth = [1] * len(paths)
    while True:
        names = ["/".join(parts[-kept:]) for parts, kept in zip(resolved, depth, strict=True)]
        times_used = Counter(names)
        repeated = [i for i, name in enumerate(names) if times_used[name] > 1 and depth[i] < len(resolved[i])]
        if not repeated:
            return names
        for i in repeated:
            depth[i] += 1
