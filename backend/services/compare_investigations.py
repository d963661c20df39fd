"""Compare an investigation with another one, and keep the answer.

Both reports hold what is compared, at most some thousand samples a side: that takes less than a second, so no job is
needed, and no packet is touched."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from backend.errors import Conflict, InvalidRequest, NotFound
from backend.forensics.comparison.result import Comparison
from backend.services.read_report import read_report
from backend.services.request_analysis import read_investigation
from backend.storage import comparisons, investigations
from backend.storage.records import Investigation, StoredComparison, now_text
from backend.storage.store import Store

LATEST = "latest:"
"""``latest:nightly``: the newest finished investigation with that label."""


@dataclass(frozen=True)
class Compared:
    """A stored comparison, and whether both investigations are still as they were."""

    stored: StoredComparison
    up_to_date: bool


def compare_investigations(
    store: Store, investigation_id: str, base: str, *, tool_version: str, by_owner: bool = True
) -> Compared:
    """The comparison with `base` (an id, or ``latest:LABEL``); the same two as they are now are compared
    once. `by_owner`: asked for by one who may change the investigation, so that it is the result of its run.

    Raises NotFound, InvalidRequest, or Conflict while an analysis has not finished."""
    candidate = _finished(store, investigation_id, "This investigation")
    chosen = _finished(store, _base_id(store, investigation_id, base), "The base")
    with store.database.reading() as session:
        earlier = comparisons.find_comparison(
            session, (candidate.id, candidate.generation), (chosen.id, chosen.generation)
        )
    if earlier is not None:
        if by_owner and not earlier.by_owner:
            with store.database.writing() as session:
                comparisons.set_by_owner(session, earlier.id)
        return Compared(earlier, up_to_date=True)
    comparison = _compare(store, chosen, candidate, tool_version)
    stored = StoredComparison(
        id=uuid4().hex[:16],
        investigation_id=candidate.id,
        base_id=chosen.id,
        generation=candidate.generation,
        base_generation=chosen.generation,
        created=comparison.created,
        verdict=comparison.verdict,
        statement=comparison.statement,
        by_owner=by_owner,
    )
    with store.database.writing() as session:
        comparisons.add_comparison(session, stored, comparison.model_dump_json(by_alias=True))
    return Compared(stored, up_to_date=True)


def list_comparisons(store: Store, investigation_id: str) -> list[Compared]:
    """All of an investigation, the newest first; raises NotFound."""
    read_investigation(store, investigation_id)
    with store.database.reading() as session:
        found = comparisons.list_comparisons(session, investigation_id)
        wanted = {each.base_id for each in found} | {investigation_id}
        now = {each: investigations.get_investigation(session, each) for each in wanted}
    return [Compared(each, _is_current(each, now)) for each in found]


def read_comparison(store: Store, investigation_id: str, comparison_id: str) -> Comparison:
    """One comparison as it was made; raises NotFound."""
    with store.database.reading() as session:
        _, content = comparisons.get_comparison(session, investigation_id, comparison_id)
    return Comparison.model_validate_json(content)


def render(comparison: Comparison, form: str) -> tuple[str, str]:
    """(text, media type) of ``json``, ``junit``, ``sarif`` or ``markdown``."""
    from backend.services.render_comparison import render_comparison
    from backend.services.render_junit import render_comparison_junit
    from backend.services.render_sarif import render_comparison_sarif

    if form == "junit":
        return render_comparison_junit(comparison), "application/xml; charset=utf-8"
    if form == "sarif":
        return render_comparison_sarif(comparison), "application/sarif+json"
    if form == "markdown":
        return render_comparison(comparison), "text/markdown; charset=utf-8"
    return comparison.model_dump_json(by_alias=True), "application/json"


def _compare(store: Store, base: Investigation, candidate: Investigation, tool_version: str) -> Comparison:
    # scipy's tests take a second to import: only who compares waits for them.
    from backend.forensics.comparison.compare import Subject, compare_reports

    subjects = [
        # The label is today's: the report keeps the one it was made with.
        Subject(
            read_report(store, each.id).model_copy(update={"label": each.label}),
            source=f"/i/{each.id}",
            investigation_id=each.id,
        )
        for each in (base, candidate)
    ]
    return compare_reports(*subjects, created=now_text(), tool_version=tool_version)


def _base_id(store: Store, investigation_id: str, base: str) -> str:
    if not base.startswith(LATEST):
        if base == investigation_id:
            raise InvalidRequest("An investigation is compared with another one, not with itself.")
        return base
    label = " ".join(base.removeprefix(LATEST).split())
    with store.database.reading() as session:
        found = comparisons.newest_finished(session, label, other_than=investigation_id)
    if found is None:
        raise NotFound(f"There is no other finished investigation with the label “{label}”.")
    return found


def _finished(store: Store, investigation_id: str, name: str) -> Investigation:
    investigation = read_investigation(store, investigation_id)
    if investigation.analysis != "finished":
        state = investigation.analysis or "not begun"
        raise Conflict(f"{name} cannot be compared: its analysis is {state}, not finished.")
    return investigation


def _is_current(stored: StoredComparison, now: dict[str, Investigation]) -> bool:
    return (
        now[stored.investigation_id].generation == stored.generation
        and now[stored.base_id].generation == stored.base_generation
    )
