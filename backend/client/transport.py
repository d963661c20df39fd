"""One connection to one server: asks, waits when it is asked to come later, and says what went wrong.

Secrets go in headers, never in an address; redirects are not followed, as they would carry the secret elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

from backend.client.problems import Problem, problem_of, retry_after_s

ANSWER_LIMIT_BYTES: Final = 256 << 20
ASK_LATER: Final = (429, 503)
LATER_S: Final = 1.0
"""To wait where the server says no time."""
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")

Query = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True)
class Body:
    """What is sent with a request. `open` gives the bytes anew for each try."""

    open: Callable[[], Iterator[bytes]]
    size_bytes: int
    media_type: str


@dataclass(frozen=True)
class Answer:
    """What came back; `headers` by lower-case names."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> Any:
        """The body as JSON; raises Problem where it is none."""
        import json

        try:
            return json.loads(self.content)
        except ValueError:
            raise Problem("strange answer", "what came back is no JSON.", status=self.status) from None


class Transport:
    """Requests to one server, with what shows that one may."""

    def __init__(
        self, server: str, headers: Mapping[str, str], *, timeout_s: float, patience_s: float
    ) -> None:
        parts = urlsplit(server)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"a server's address looks like http://127.0.0.1:8000, not “{server}”.")
        self.server = server.rstrip("/")
        self._patience_s = patience_s
        """How long altogether a request waits while the server says to come later."""
        self._http = httpx2.Client(
            base_url=self.server,
            headers=dict(headers),
            timeout=timeout_s,
            # A proxy of the environment is for other machines.
            trust_env=parts.hostname not in LOOPBACK,
        )

    def close(self) -> None:
        """End all connections."""
        self._http.close()

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Body | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer; raises Problem for a refusal and for no answer."""
        given_up_at = time.monotonic() + self._patience_s
        while True:
            answer, reason = self._once(method, path, query, body, dict(headers or {}))
            if answer.status < 300:
                return answer
            requested_s = retry_after_s(answer.headers)
            wait_s = LATER_S if requested_s is None else requested_s
            if answer.status not in ASK_LATER or time.monotonic() + wait_s > given_up_at:
                raise problem_of(self.server, answer.status, reason, answer.headers, answer.content)
            time.sleep(wait_s)

    def _once(
        self, method: str, path: str, query: Query | None, body: Body | None, headers: dict[str, str]
    ) -> tuple[Answer, str]:
        wanted = {key: value for key, value in (query or {}).items() if value is not None}
        if body is not None:
            headers |= {"Content-Type": body.media_type, "Content-Length": str(body.size_bytes)}
        try:
            with self._http.stream(
                method,
                path,
                params=wanted or None,
                content=body.open() if body is not None else None,
                headers=headers,
            ) as answer:
                content = self._read(answer)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise Problem(f"{self.server} cannot be reached", f"{_reason(error)}.") from error
        return Answer(answer.status_code, answer.headers, content), answer.reason_phrase

    def _read(self, answer: httpx2.Response) -> bytes:
        pieces = bytearray()
        for piece in answer.iter_bytes():
            pieces += piece
            if len(pieces) > ANSWER_LIMIT_BYTES:
                raise Problem(
                    f"{self.server} answered too much", f"more than {ANSWER_LIMIT_BYTES >> 20} MiB came."
                )
        return bytes(pieces)


def _reason(error: Exception) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return "it does not answer in time"
    return str(error).rstrip(".") or type(error).__name__
