"""An empty database for one test, on either engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import make_url

ENGINES = ["sqlite", "postgresql"]


@contextmanager
def scratch_database(engine: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    """Its URL; PostgreSQL's is dropped afterwards. Skips without a PostgreSQL to test against."""
    if engine == "sqlite":
        yield f"sqlite:///{folder / 'stallscope.sqlite'}"
        return
    server = make_url(request.getfixturevalue("postgres_url"))
    name = f"stallscope_{uuid4().hex[:12]}"
    plain = server.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield server.set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
