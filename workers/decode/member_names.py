"""Names out of archives, made safe to show and to compare; they are never used as paths."""

from __future__ import annotations

from typing import Final

NAME_LIMIT: Final = 200
"""Characters kept, from the end: the file's own name says most."""


def _parts(name: str) -> list[str]:
    return [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]


def clean_name(name: str) -> str:
    """The path without its root, steps upwards, control characters, and what turns text around or hides it.

    ``/../etc/a\\x1b[2J.pcap`` becomes ``etc/a�[2J.pcap``."""
    shown = "/".join(_parts(name)).encode("utf-8", "replace").decode("utf-8")
    shown = "".join(c if c.isprintable() else "�" for c in shown)
    return (shown if len(shown) <= NAME_LIMIT else "…" + shown[1 - NAME_LIMIT :]) or "unnamed"


def is_hidden(name: str) -> bool:
    """Whether the file or a folder it is in begins with a dot, as those of version control and of macOS do."""
    return any(part.startswith(".") for part in _parts(name))
