from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.api.tests.running_product import Product, running_product


@pytest.fixture(scope="session")
def shared_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """One for all tests that only look at investigations of their own; a start costs seconds of processor time."""
    with running_product(tmp_path_factory.mktemp("shared")) as running:
        yield running
