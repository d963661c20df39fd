"""The bundled demonstrations: real captures made for this purpose, loaded like any upload."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from backend.errors import NotFound
from backend.services.create_investigation import Repeatable, create_investigation
from backend.services.receive_upload import append_bytes, begin_upload, complete_upload
from backend.services.request_analysis import read_investigation
from backend.storage import investigations
from backend.storage.records import Investigation
from backend.storage.store import Store

DEMO_FOLDER = Path(__file__).parents[1] / "demo"
PIECE_BYTES = 1 << 20


@dataclass(frozen=True)
class Demo:
    """One bundled demonstration."""

    name: str
    title: str
    symptom: str
    """What its users complained about."""


def list_demos() -> list[Demo]:
    """All bundled demonstrations, in the order in which they should be shown."""
    found = []
    for description in DEMO_FOLDER.glob("*/demo.json"):
        demo = json.loads(description.read_text(encoding="utf-8"))
        found.append(
            (
                demo["order"],
                Demo(description.parent.name, demo["title"], demo["symptom"]),
            )
        )
    return [demo for _, demo in sorted(found, key=lambda pair: pair[0])]


def load_demo(store: Store, name: str, *, repeatable: Repeatable | None = None) -> Investigation:
    """Create an investigation with the demonstration's files and queue its analysis."""
    demo = next((demo for demo in list_demos() if demo.name == name), None)
    if demo is None:
        raise NotFound("There is no such demonstration.")
    investigation = create_investigation(
        store, demo.title, demo=name, repeatable=repeatable, source="browser"
    )
    if investigation.analysis is not None:
        return investigation
    for path in sorted((DEMO_FOLDER / name).iterdir()):
        if path.name != "demo.json":
            _take_in(store, investigation.id, path)
    return read_investigation(store, investigation.id)


def load_missing_demos(store: Store) -> list[Investigation]:
    """Load each demonstration that is not here yet; all of them."""
    with store.database.reading() as session:
        present = {found.demo: found for found in investigations.list_investigations(session, 1000)}
    # The list of investigations begins with the newest, so the first to be shown is loaded last.
    return [present.get(demo.name) or load_demo(store, demo.name) for demo in reversed(list_demos())]


def _take_in(store: Store, investigation_id: str, path: Path) -> None:
    file = begin_upload(store, investigation_id, path.name, path.stat().st_size)
    with path.open("rb") as stream:
        while piece := stream.read(PIECE_BYTES):
            append_bytes(store, file, piece)
    complete_upload(store, file)
