from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.settings import Settings
from backend.storage.store import Store
from backend.storage.tests.empty_store import open_empty_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    opened = open_empty_store(Settings(data=tmp_path / "data", database_url=""))
    yield opened
    opened.close()
