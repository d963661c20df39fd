"""The page of formats says what the tests run over."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.decode.tests.container_formats import CONTAINERS
from workers.decode.tests.formats_page import PAGE, formats_text


def test_the_page_is_current() -> None:
    current = PAGE.read_text(encoding="utf-8") == formats_text()
    assert current, "run: python -m workers.decode.tests.formats_page"


@pytest.mark.parametrize("test", sorted({one.test for one in CONTAINERS}))
def test_each_container_names_a_test_that_exists(test: str) -> None:
    assert Path(__file__).with_name(test).is_file()
