"""One investigation, from its files to its verdict."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

from backend.client.problems import NotFinished, Problem
from backend.client.records import Document, File, InvestigationRecord, Progress, ShareLink
from backend.client.transport import Answer, Body, Query, Transport
from backend.client.uploads import Sent, UploadDetails, send_file

BETWEEN_LOOKS_S: Final = 0.5
AWAY_S: Final = 30.0
Form = Literal["junit", "sarif", "markdown"]
OVER: Final = ("finished", "failed", "cancelled")


class Investigation:
    """Made by `Stallscope.create_investigation`, `Stallscope.investigation` or `open_link`; every method may raise
    Problem. One that was opened by its share link is only read, and is a context manager of its own."""

    def __init__(self, transport: Transport, path: str, id: str | None) -> None:
        self._transport = transport
        self._path = path
        self.id = id
        """None behind a share link, which does not show it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._transport.close()

    @property
    def link(self) -> str:
        """For people."""
        return f"{self._transport.server}/{'i' if self.id else 's'}/{self._path.rpartition('/')[2]}"

    # What goes in

    def upload(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        host: str | None = None,
        captured_at: datetime | None = None,
        progress: Callable[[Sent], None] | None = None,
    ) -> File:
        """Send a capture, a dump or a bundle of them; its SHA-256 is checked at the other end.

        A large one goes on where it stopped when the connection is cut. `captured_at` (with a time zone) is for dumps
        that do not show when they were taken."""
        details = UploadDetails(name or Path(path).name, host, captured_at)
        return send_file(self._transport, self._path, Path(path), details, progress)

    def add_text(
        self,
        text: str,
        *,
        name: str | None = None,
        host: str | None = None,
        captured_at: datetime | None = None,
    ) -> File:
        """Keep what a command printed as a file, named after what it is unless a name is given."""
        fields = {"text": text, "name": name, "host": host}
        if captured_at is not None:
            fields["captured_at"] = captured_at.isoformat()
        return File.of(self._post("texts", fields).json())

    def files(self) -> list[File]:
        """All evidence files."""
        return [File.of(document) for document in self._get("files").json()["items"]]

    def rename(self, label: str) -> None:
        """Rename it."""
        self._send("PATCH", self._path, {"label": label})

    def delete(self) -> None:
        """Remove it with everything in it."""
        self._transport.ask("DELETE", self._path)

    # How far it is

    def about(self) -> InvestigationRecord:
        """Label, state, size."""
        path = self._path if self.id else f"{self._path}/investigation"
        return InvestigationRecord.of(self._transport.ask("GET", path).json())

    def progress(self) -> Progress:
        """Where the analysis is now."""
        return Progress.of(self._get("progress").json())

    def wait(
        self, *, timeout_s: float | None = None, progress: Callable[[Progress], None] | None = None
    ) -> Progress:
        """Until the analysis has finished; raises NotFinished when it failed, was cancelled, or `timeout_s` is over (it
        goes on then)."""
        end = math.inf if timeout_s is None else time.monotonic() + timeout_s
        while True:
            now = self._progress_soon()
            if progress is not None:
                progress(now)
            if now.analysis == "finished":
                return now
            if now.analysis in OVER:
                raise NotFinished(_why_over(now), analysis=str(now.analysis))
            left_s = end - time.monotonic()
            if left_s <= 0:
                raise NotFinished(
                    f"after {timeout_s:,.0f} s the analysis is {now.analysis or 'not begun'} "
                    f"(stage {now.stage_number} of {now.stages}, {now.stage}); it goes on.",
                    analysis=str(now.analysis),
                )
            time.sleep(min(BETWEEN_LOOKS_S, left_s))

    def _progress_soon(self) -> Progress:
        """A server that is started anew is away for a while: the analysis goes on when it is back."""
        back_by = time.monotonic() + AWAY_S
        while True:
            try:
                return self.progress()
            except Problem as problem:
                if problem.status is not None or time.monotonic() > back_by:
                    raise
            time.sleep(BETWEEN_LOOKS_S)

    def analyse(self, *, anew: bool = False) -> None:
        """Ask for an analysis; `anew` decodes and analyses again what is done already."""
        self._transport.ask("POST", f"{self._path}/analyses", query={"anew": str(anew).lower()})

    def cancel(self) -> None:
        """Stop the analysis."""
        self._transport.ask("POST", f"{self._path}/cancel")

    # What comes out

    def report(self) -> Document:
        """The report, `stallscope.report/1`."""
        return self._document("report")

    def report_text(self, form: Form) -> str:
        """The report as JUnit XML, SARIF 2.1.0 or Markdown."""
        return self._get("report", {"format": form}).content.decode()

    def findings(self) -> Iterator[Document]:
        """All findings of the report."""
        yield from self._get("findings").json()["items"]

    def diagnoses(self) -> Iterator[Document]:
        """All diagnoses, the most likely first."""
        yield from self._get("diagnoses").json()["items"]

    def connections(self, **filters: str | int | None) -> Iterator[Document]:
        """Logical connections, page by page; filters as in the API: sort, order, outcome, finding, q, from, to."""
        return self._all("connections", filters)

    def packets(self, **filters: str | int | None) -> Iterator[Document]:
        """Packets of all captures in order of time; filters as in the API: filter, address, port, cid, lane …"""
        return self._all("packets", filters)

    def requests(self, **filters: str | int | None) -> Iterator[Document]:
        """HTTP requests with their responses; filters as in the API: q, method, status, sort …"""
        return self._all("requests", filters)

    def round_trips(self, **filters: str | int | None) -> Iterator[Document]:
        """Round-trip samples; filters as in the API: kind, prober, responder, finding …"""
        return self._all("rtt", filters)

    def dumps(self) -> list[Document]:
        """Kernel dumps: when and where each was taken, and what tables it has."""
        found: list[Document] = self._get("dumps").json()["items"]
        return found

    def timeline(self, **window: str | int | None) -> Document:
        """Density and marks of a window: from, to, px, finding."""
        return self._document("timeline", window)

    # With others

    def compare(self, base: Investigation | str) -> Document:
        """What got worse, better or stayed since `base`: another investigation of this server, its id, or
        ``latest:LABEL``. The comparison, `stallscope.comparison/1`, is kept on the server."""
        wanted = base.id if isinstance(base, Investigation) else base
        made = self._post("comparisons", {"base": wanted}).json()
        return self._document(f"comparisons/{made['id']}")

    def share(
        self,
        *,
        expires_days: int = 30,
        addresses: Literal["names", "real"] = "names",
        finding: str = "",
        password: str = "",
    ) -> ShareLink:
        """A read-only link; with `names` pseudonyms stand for addresses, files and hosts."""
        options = {
            "expires_days": expires_days, "addresses": addresses, "finding": finding, "password": password,
        }  # fmt: skip
        made = self._post("shares", options).json()
        return ShareLink(made["id"], self._transport.server + made["url_path"], made["expires"])

    def revoke(self, share_id: str) -> None:
        """Close a share link."""
        self._transport.ask("DELETE", f"{self._path}/shares/{share_id}")

    def _get(self, part: str, query: Query | None = None) -> Answer:
        return self._transport.ask("GET", f"{self._path}/{part}", query=query)

    def _document(self, part: str, query: Query | None = None) -> Document:
        found: Document = self._get(part, query).json()
        return found

    def _post(self, part: str, fields: Document) -> Answer:
        return self._send("POST", f"{self._path}/{part}", fields)

    def _send(self, method: str, path: str, fields: Document) -> Answer:
        content = json.dumps(fields).encode()
        body = Body(lambda: iter((content,)), len(content), "application/json")
        return self._transport.ask(method, path, body=body)

    def _all(self, part: str, filters: dict[str, Any]) -> Iterator[Document]:
        # `from` is a word of Python, so it may be written from_.
        query = {name.rstrip("_"): value for name, value in filters.items()}
        return pages(self._transport, f"{self._path}/{part}", {"limit": 1000, **query})


def pages(transport: Transport, path: str, query: Query) -> Iterator[Document]:
    """Every item of a list that is paged by cursor; the next page is asked for when it is needed."""
    cursor: str | None = None
    while True:
        page = transport.ask("GET", path, query={**query, "cursor": cursor}).json()
        yield from page["items"]
        cursor = page.get("next_cursor")
        if cursor is None:
            return


def _why_over(now: Progress) -> str:
    if now.analysis == "cancelled":
        return "the analysis was cancelled on the server."
    errors = [f"{file.name}: {file.error}" for file in now.files if file.error]
    return f"the analysis failed: {now.message or '; '.join(errors) or 'no reason was given.'}"
