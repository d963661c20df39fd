from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.storage.database import Database
from backend.storage.tests.scratch_database import ENGINES, scratch_database


@pytest.fixture(params=ENGINES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty, migrated database: each test runs on both engines."""
    with scratch_database(request.param, request, tmp_path) as url:
        opened = Database(url)
        opened.upgrade()
        yield opened
        opened.dispose()
