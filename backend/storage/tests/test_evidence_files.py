from __future__ import annotations

import pytest

from backend.storage import evidence_files, investigations
from backend.storage.database import Database
from backend.storage.records import EvidenceFile, FileOutcome, FileProgress

OUTCOME = FileOutcome("capture", "pcap", 90, 0, 0, ("cut at byte 7",), None)


@pytest.fixture
def stored(database: Database) -> Database:
    with database.writing() as session:
        investigations.add_investigation(session, "a1", "slow")
        evidence_files.add_file(session, "f1", "a1", name="a.pcap", kind="", format_name="", size_bytes=900)
        evidence_files.mark_stored(
            session, "f1", name="a.pcap", kind="capture", format_name="pcap", sha256="d" * 64, size_bytes=900
        )
    return database


def file_now(database: Database) -> EvidenceFile:
    with database.reading() as session:
        return evidence_files.get_file(session, "a1", "f1")


def test_progress_never_decreases_when_a_job_begins_anew(stored: Database) -> None:
    with stored.writing() as session:
        evidence_files.set_decoding(session, "f1", 1, FileProgress(3, 50, 500, 10.0))
        evidence_files.set_decoding(session, "f1", 1, FileProgress(2, 0, 0, None))
    file = file_now(stored)
    assert (file.stage_number, file.packets, file.bytes_done) == (3, 50, 500)


def test_a_called_off_decode_writes_nothing(stored: Database) -> None:
    with stored.writing() as session:
        evidence_files.set_decoding(session, "f1", 1, FileProgress(3, 50, 500, 10.0))
        evidence_files.call_off_decodes(session, "a1")
        assert not evidence_files.is_wanted(session, "f1", 1)
        assert not evidence_files.set_decoded(session, "f1", 1, OUTCOME)
    assert file_now(stored).status == "stored"


def test_what_a_decode_has_shown_is_kept(stored: Database) -> None:
    with stored.writing() as session:
        assert evidence_files.set_decoded(session, "f1", 1, OUTCOME)
    file = file_now(stored)
    assert (file.status, file.packets, file.bytes_done, file.warnings) == (
        "decoded",
        90,
        900,
        ("cut at byte 7",),
    )


def test_a_file_that_failed_by_our_fault_can_be_tried_again(stored: Database) -> None:
    with stored.writing() as session:
        evidence_files.set_undecodable(session, "f1", 1, "our fault", refused=False)
        evidence_files.retry_failed(session, "a1")
    file = file_now(stored)
    assert (file.status, file.attempt, file.error) == ("stored", 2, None)


def test_a_file_is_found_by_its_name_too(stored: Database) -> None:
    with stored.reading() as session:
        assert evidence_files.get_file(session, "a1", "a.pcap").id == "f1"


def test_bytes_stay_while_any_file_has_them(stored: Database) -> None:
    with stored.writing() as session:
        assert evidence_files.blob_in_use(session, "d" * 64)
        evidence_files.delete_file(session, "f1")
        assert not evidence_files.blob_in_use(session, "d" * 64)
