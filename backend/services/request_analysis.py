"""Queue the analysis of an investigation, and call it off."""

from __future__ import annotations

from contextlib import suppress

from backend.errors import Conflict, Unavailable
from backend.storage import evidence_files, investigations
from backend.storage.audit_log import Act, write_event
from backend.storage.records import UPLOADING, Investigation
from backend.storage.store import Store


def enqueue_analysis(store: Store, investigation_id: str, generation: int) -> None:
    """Hand over what the database already calls queued. Workers ask the database for what nobody handed over, so a job
    engine that is away costs time, and no request fails for it."""
    with suppress(Unavailable):
        store.jobs.enqueue_analysis(investigation_id, generation)


def start_analysis(store: Store, investigation_id: str, *, anew: bool = False) -> Investigation:
    """Analyze now unless that is already under way or done; asking twice changes nothing. `anew` decodes all files
    and analyses again even what is done: a newer version may see more."""
    with store.database.writing() as session:
        investigation = investigations.get_investigation(session, investigation_id)
        files = evidence_files.list_files(session, investigation_id)
        if not any(file.status != UPLOADING for file in files):
            raise Conflict("There is no complete file to analyse yet.")
        done = investigation.analysis == "finished" and not anew
        if done or investigation.analysis in ("queued", "running"):
            generation = investigation.generation
        else:
            if anew:
                evidence_files.decode_again(session, investigation_id)
            evidence_files.retry_failed(session, investigation_id)
            generation = investigations.request_analysis(session, investigation_id)
            write_event(session, Act.START_ANALYSIS, investigation_id=investigation_id)
    if not done:
        enqueue_analysis(store, investigation_id, generation)
    return read_investigation(store, investigation_id)


def cancel_analysis(store: Store, investigation_id: str) -> Investigation:
    """Call off what is queued or running; files stay, and can be analyzed again."""
    with store.database.writing() as session:
        cancelled = investigations.cancel_analysis(session, investigation_id)
        if cancelled is not None:
            evidence_files.call_off_decodes(session, investigation_id)
            write_event(session, Act.CANCEL_ANALYSIS, investigation_id=investigation_id)
    if cancelled is not None:
        with suppress(Unavailable):  # jobs that have begun ask for themselves, and others find nothing to do
            store.jobs.cancel_analysis(investigation_id, cancelled)
    return read_investigation(store, investigation_id)


def read_investigation(store: Store, investigation_id: str) -> Investigation:
    """The investigation as it is now, or as a frozen copy has it; raises NotFound."""
    if store.frozen is not None:
        return store.frozen.investigation
    with store.database.reading() as session:
        return investigations.get_investigation(session, investigation_id)
