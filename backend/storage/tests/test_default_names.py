from __future__ import annotations

import pytest

from backend.storage import evidence_files, investigations
from backend.storage.database import Database
from backend.storage.default_names import is_named_after_files, name_if_unnamed

FILES = ["node-7.pcap", "conntrack-S.txt"]


@pytest.mark.parametrize(
    ("label", "after_files"),
    [
        ("node-7.pcap", True),
        ("node-7.pcap and 1 more", True),
        ("conntrack-S.txt and 12 more", True),
        ("checkout is slow", False),
        ("node-7.pcap and others", False),
        ("our node-7.pcap", False),
        ("node-8.pcap", False),
        ("", False),
    ],
)
def test_what_the_page_calls_dropped_files(label: str, after_files: bool) -> None:
    assert is_named_after_files(label, FILES) is after_files


@pytest.mark.parametrize(
    ("source", "label", "name", "shown"),
    [
        ("browser", "node-7.pcap", "10.0.0.1:80, 2026-11-21", "10.0.0.1:80, 2026-11-21"),
        ("browser", "checkout is slow", "10.0.0.1:80, 2026-11-21", "checkout is slow"),
        ("api", "node-7.pcap", "10.0.0.1:80, 2026-11-21", "node-7.pcap"),
        ("browser", "node-7.pcap", "", "node-7.pcap"),
    ],
)
def test_only_what_nobody_named_is_named(
    database: Database, source: str, label: str, name: str, shown: str
) -> None:
    with database.writing() as session:
        investigations.add_investigation(session, "a1", label, source=source)
        evidence_files.add_file(
            session, "f1", "a1", name="node-7.pcap", kind="capture", format_name="pcap", size_bytes=1
        )
        name_if_unnamed(session, "a1", name)
        assert investigations.get_investigation(session, "a1").label == shown
