from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.settings import Settings
from backend.storage.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    opened = open_store(Settings(data=tmp_path / "data", database_url=""), migrate=True)
    yield opened
    opened.close()
