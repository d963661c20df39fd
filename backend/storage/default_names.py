"""Investigations that nobody has named get a name from what was found in them."""

from __future__ import annotations

import re

from sqlalchemy.orm import Session

from backend.storage.evidence_files import list_files
from backend.storage.investigations import get_investigation, rename_investigation

_MORE = re.compile(r" and [0-9]+ more")


def name_if_unnamed(session: Session, investigation_id: str, name: str) -> None:
    """In place of its files' names, where it was dropped on the page and no person has renamed it since."""
    investigation = get_investigation(session, investigation_id)
    names = [file.name for file in list_files(session, investigation_id)]
    if name and investigation.source == "browser" and is_named_after_files(investigation.label, names):
        rename_investigation(session, investigation_id, name)


def is_named_after_files(label: str, names: list[str]) -> bool:
    """Whether that is what the page calls files that are dropped: ``node-7.pcap``, ``node-7.pcap and 3 more``."""
    return any(
        label == name or (label.startswith(name) and _MORE.fullmatch(label[len(name) :]) is not None)
        for name in names
    )
