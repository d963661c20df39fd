from __future__ import annotations

import pytest

from backend.errors import NotFound
from backend.storage import investigations, notes
from backend.storage.database import Database
from backend.storage.notes import NewNote


def test_notes_come_back_as_written_and_go_with_their_investigation(database: Database) -> None:
    with database.writing() as session:
        for key in ("a1", "a2"):
            investigations.add_investigation(session, key, "noted")
        late = NewNote("note", "x" * 2_000, "ann", from_ns=2**53 - 2, to_ns=2**53 - 1, lane="eth0")
        made = notes.add_note(session, "ff", "a1", late)
        again = notes.add_note(session, "01", "a1", NewNote("disagreement", "no", cause="c", finding_id="f"))
    with database.reading() as session:
        assert notes.list_notes(session, "a1") == [made, again]
        assert (made.to_ns, again.from_ns) == (2**53 - 1, None)
        assert (notes.count_notes(session, "a1"), notes.count_notes(session, "a2")) == (2, 0)
    with pytest.raises(NotFound), database.writing() as session:
        notes.delete_note(session, "a2", "ff")
    with database.writing() as session:
        notes.delete_note(session, "a1", "01")
        investigations.delete_investigation(session, "a1")
    with database.reading() as session:
        assert notes.count_notes(session, "a1") == 0
