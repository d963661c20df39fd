from __future__ import annotations

from backend.api.publish_openapi import PUBLISHED, openapi_text


def test_the_published_description_is_current() -> None:
    current = PUBLISHED.read_text(encoding="utf-8") == openapi_text()
    assert current, "run: python -m backend.api.publish_openapi"
