"""``python -m backend.api.publish_openapi``: writes the API's description, which the page's types come from."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from backend.api.app import create_app
from backend.settings import Settings
from backend.storage.store import open_store

PUBLISHED = Path(__file__).parents[2] / "frontend" / "src" / "api" / "openapi.json"


def openapi_document() -> dict[str, Any]:
    """The description, the same on every machine."""
    with TemporaryDirectory() as folder:
        store = open_store(Settings(data=Path(folder), database_url=""), migrate=False)
        described: dict[str, Any] = create_app(store).openapi()
    described["info"]["version"] = "1"
    return described


def openapi_text() -> str:
    """The same as a file."""
    return json.dumps(openapi_document(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    PUBLISHED.write_text(openapi_text(), encoding="utf-8")
