"""A text with printed packets as the files that come out of it: the text itself, and a capture for each section."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from backend.forensics.dumps.printed import capture_name
from backend.limits import Limits
from workers.decode.bundle_members import Expansion, Member
from workers.decode.printed.opening import open_printed


def printed_members(path: Path, name: str, folder: Path, limits: Limits) -> list[Member]:
    """The captures in a text called `name`, written into `folder`."""
    opened = open_printed(path, folder, limits)
    return [
        Member(file.path, capture_name(name, number), "capture", "pcapng")
        for number, file in enumerate(opened.captures, 1)
    ]


def expand_text(path: Path, name: str, folder: Path, limits: Limits) -> Expansion:
    """A text that was given by itself."""
    members = printed_members(path, name, folder, limits)
    copy = folder / "000000"
    try:
        os.link(path, copy)
    except OSError:
        shutil.copyfile(path, copy)
    return Expansion((Member(copy, name, "dump", "text"), *members), (), 0, ())
