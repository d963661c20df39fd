"""Connections to PostgreSQL that never wait for ever: a server that stands still does not close its sockets."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.pool import NullPool

CONNECT_WITHIN_S: Final = 5
ANSWER_WITHIN_S: Final = 10.0
"""A statement on the tables takes milliseconds; who waits this long waits for a server that is away."""
CONNECTIONS_KEPT: Final = 5
CONNECTIONS_MORE: Final = 15
_KEEPALIVE: Final = {
    "connect_timeout": str(CONNECT_WITHIN_S),
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
"""A peer that is gone without a word is noticed after ten seconds (libpq; tcp_user_timeout in milliseconds)."""
_WAIT_INTERVAL_S: Final = 0.1

Value = TypeVar("Value")


class BoundedConnection(psycopg.Connection[Any]):
    """Gives up, and closes, when the server does not answer in time. A time-out of the server's own
    (statement_timeout) is of no use while the server itself stands still."""

    def wait(
        self, gen: PQGen[Value], interval: float = _WAIT_INTERVAL_S, timeout: float | None = None
    ) -> Value:
        """As psycopg's, with a time-out where none is given."""
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, ANSWER_WITHIN_S)
        except psycopg.errors._WaitTimeout:
            self.close()
            raise psycopg.OperationalError(f"no answer within {ANSWER_WITHIN_S:.0f} s") from None


def bounded_engine(url: str) -> Engine:
    """For short statements that somebody waits for."""
    engine = create_engine(
        with_keepalive(url),
        pool_pre_ping=True,
        pool_size=CONNECTIONS_KEPT,
        max_overflow=CONNECTIONS_MORE,
        pool_timeout=ANSWER_WITHIN_S,
    )

    @event.listens_for(engine, "do_connect")
    def _connect(_dialect: object, _record: object, arguments: Any, named: Any) -> BoundedConnection:
        return BoundedConnection.connect(*arguments, **named)

    return engine


def patient_engine(url: str) -> Engine:
    """For migrations: they wait for each other and may take long."""
    return create_engine(with_keepalive(url), poolclass=NullPool)


def with_keepalive(url: str) -> str:
    """The same address, with the time-outs of the connection that it does not set itself; SQLite has none."""
    parsed = make_url(url)
    if not parsed.drivername.startswith("postgres"):
        return url
    named = {name: value for name, value in _KEEPALIVE.items() if name not in parsed.query}
    return parsed.update_query_dict(named).render_as_string(hide_password=False)
