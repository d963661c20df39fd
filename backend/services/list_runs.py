"""Runs of pipelines: labels with their newest runs, or all runs of one label, page by page."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from backend.services.create_investigation import UNTITLED
from backend.storage import runs
from backend.storage.records import Run
from backend.storage.store import Store

RUNS_OF_EACH: Final = 20
"""Of a label on the page of labels: enough for its trend."""


@dataclass(frozen=True)
class RunGroup:
    """A label and its newest runs."""

    label: str
    runs_total: int
    runs: tuple[Run, ...]
    next_cursor: str | None
    """For the runs of this label behind these."""


@dataclass(frozen=True)
class LabelList:
    """A page of labels, the one with the newest run first."""

    items: tuple[RunGroup, ...]
    next_cursor: str | None


@dataclass(frozen=True)
class RunList:
    """A page of the runs of one label."""

    items: tuple[Run, ...]
    next_cursor: str | None


def list_labels(store: Store, limit: int, cursor: str | None) -> LabelList:
    """The label with the newest run first. Demonstrations and investigations without a label are nobody's runs."""
    with store.database.reading() as session:
        found = runs.list_labels(session, limit + 1, _read(cursor), no_label=UNTITLED)
        shown = found[:limit]
        newest = runs.newest_runs(session, [each.label for each in shown], RUNS_OF_EACH)
    by_label: dict[str, list[Run]] = defaultdict(list)
    for run in newest:
        by_label[run.label].append(run)
    items = tuple(
        RunGroup(
            each.label,
            each.runs,
            tuple(by_label[each.label]),
            _after_run(by_label[each.label], more=each.runs > len(by_label[each.label])),
        )
        for each in shown
    )
    more = len(found) > limit
    return LabelList(items, f"{shown[-1].newest}~{shown[-1].label}" if more else None)


def list_runs(store: Store, label: str, limit: int, cursor: str | None) -> RunList:
    """All runs of a label, the newest first."""
    with store.database.reading() as session:
        found = runs.list_runs(session, label, limit + 1, _read(cursor))
    shown = found[:limit]
    return RunList(tuple(shown), _after_run(shown, more=len(found) > limit))


def _read(cursor: str | None) -> tuple[str, str] | None:
    """(time, label or id) of the last one already seen."""
    if cursor is None:
        return None
    time, _, rest = cursor.partition("~")
    return time, rest


def _after_run(shown: list[Run], *, more: bool) -> str | None:
    return f"{shown[-1].created}~{shown[-1].id}" if more and shown else None
