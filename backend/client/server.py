"""A Stallscope server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from types import TracebackType
from typing import Self
from uuid import uuid4

from backend.client.investigation import Investigation, pages
from backend.client.records import InvestigationRecord
from backend.client.transport import Body, Transport

TOKEN_VARIABLE = "STALLSCOPE_TOKEN"
TIMEOUT_S = 60.0
PATIENCE_S = 120.0
API = "/api/v1"


def token_headers(token: str | None) -> dict[str, str]:
    """What shows that one may: the token given, or that of STALLSCOPE_TOKEN; "" is none."""
    shown = os.environ.get(TOKEN_VARIABLE, "") if token is None else token
    return {"Authorization": f"Bearer {shown}"} if shown else {}


class Stallscope:
    """A server and the token that opens it; a context manager, which ends its connections.

    `token` is read from STALLSCOPE_TOKEN when None is given; "" is none. `timeout_s` is for each answer. A server that
    is full says when to come again: that is obeyed for `patience_s` altogether, then it is a Problem.
    Raises ValueError for an address that is none.
    """

    def __init__(
        self,
        server: str,
        *,
        token: str | None = None,
        timeout_s: float = TIMEOUT_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._transport = Transport(server, token_headers(token), timeout_s=timeout_s, patience_s=patience_s)

    @property
    def address(self) -> str:
        """Without a slash at its end."""
        return self._transport.server

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all connections."""
        self._transport.close()

    def create_investigation(self, label: str = "", *, source: str = "api") -> Investigation:
        """A new, empty one; `source` is ``ci`` for a pipeline's."""
        content = json.dumps({"label": label, "source": source}).encode()
        # The key lets a request that is asked twice, because the server was full, create one investigation.
        made = self._transport.ask(
            "POST",
            f"{API}/investigations",
            body=Body(lambda: iter((content,)), len(content), "application/json"),
            headers={"Idempotency-Key": uuid4().hex},
        ).json()
        return self.investigation(str(made["id"]))

    def investigation(self, id: str) -> Investigation:
        """The one of that id; nothing is asked yet."""
        return Investigation(self._transport, f"{API}/investigations/{id}", id)

    def investigations(self) -> Iterator[InvestigationRecord]:
        """All of them, the newest first."""
        for document in pages(self._transport, f"{API}/investigations", {"limit": 200}):
            yield InvestigationRecord.of(document)
