"""All captures and listings of an investigation, anonymised, in one tar.gz that Stallscope reads like the originals."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal

from backend.limits import Limits
from workers.decode.anonymise.capture import anonymise_capture
from workers.decode.anonymise.listing import anonymise_listing
from workers.decode.anonymise.pseudonyms import Pseudonyms

_ENDINGS: Final = {"capture": "pcapng", "dump": "txt"}
_QUICK: Final = 3
"""Of nine levels: payload is zeros, which any level makes small."""


@dataclass(frozen=True)
class Original:
    """One file of an investigation."""

    kind: Literal["capture", "dump"]
    plain: Callable[[], Path]
    """Of a capture: a plain pcap or pcapng file; of a dump: the file as it is stored."""
    tables: Path
    """Of a capture: where decoding left its tables."""
    origin: str = ""
    """Files of one origin are of one host; each has a folder where there are several."""
    captured_at_ns: int | None = None


@dataclass(frozen=True)
class Made:
    """What was written."""

    files: int
    frames: int
    bytes: int


def member_names(originals: Sequence[Original]) -> list[str]:
    """Names that say nothing, in the order of the files: ``host-1/capture-2.pcapng``."""
    origins = list(dict.fromkeys(each.origin for each in originals))
    counts = {"capture": 0, "dump": 0}
    names = []
    for each in originals:
        counts[each.kind] += 1
        folder = f"host-{origins.index(each.origin) + 1}/" if len(origins) > 1 else ""
        names.append(f"{folder}{each.kind}-{counts[each.kind]}.{_ENDINGS[each.kind]}")
    return names


def write_bundle(
    originals: Sequence[Original],
    target: Path,
    pseudonyms: Pseudonyms,
    scratch: Path,
    limits: Limits,
    heard: Callable[[int], None],
) -> Made:
    """One file after the other, so that only one lies in `scratch`. `heard` counts frames. Raises NotWalkable."""
    frames = 0
    unfinished = target.with_name(f"{target.name}.part")
    with tarfile.open(unfinished, "w:gz", compresslevel=_QUICK) as bundle:
        for each, name in zip(originals, member_names(originals), strict=True):
            made = scratch / "anonymised.part"
            if each.kind == "capture":
                on_frames = partial(_frames_done, heard, frames)
                frames += anonymise_capture(each.plain(), each.tables, made, pseudonyms, on_frames)
            else:
                anonymise_listing(each.plain(), made, pseudonyms, limits, each.captured_at_ns)
            _add(bundle, made, name)
            made.unlink()
    unfinished.rename(target)
    return Made(len(originals), frames, target.stat().st_size)


def _frames_done(heard: Callable[[int], None], before: int, frames: int) -> None:
    heard(before + frames)


def _add(bundle: tarfile.TarFile, path: Path, name: str) -> None:
    """Without the times and owners that a file system keeps."""
    member = tarfile.TarInfo(name)
    member.size, member.mode = path.stat().st_size, 0o644
    with path.open("rb") as file:
        bundle.addfile(member, file)
