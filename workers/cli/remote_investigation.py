"""An investigation on a server, from its creation to its verdict."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from backend.forensics.comparison.compare import Subject, compare_reports
from backend.forensics.comparison.result import Comparison
from workers.cli.analyse_files import complain, now_text
from workers.cli.compare_subjects import parse_report, read_subject
from workers.cli.evidence_files import EvidenceFile
from workers.cli.main import tool_version
from workers.cli.server_links import ServerTrouble, ask, is_link, open_answer, read_link
from workers.cli.usage import WrongUsage

BETWEEN_LOOKS_S = 0.5
REFUSED_FILE = (409, 415, 422)
"""Statuses that say: not this file. Any other refusal is about the server."""
LATEST = "latest:"


@dataclass(frozen=True)
class RemoteInvestigation:
    """An investigation of one's own."""

    server: str
    id: str
    headers: dict[str, str]

    @property
    def link(self) -> str:
        """For people."""
        return f"{self.server}/i/{self.id}"

    def get(self, part: str) -> bytes:
        """A part of it, like ``report``."""
        return ask(self.server, f"/api/v1/investigations/{self.id}/{part}", headers=self.headers)

    def upload(self, files: Sequence[EvidenceFile]) -> int:
        """How many files the server took; each one that it does not is named on standard error."""
        return sum(self._put(file) for file in files)

    def _put(self, file: EvidenceFile) -> bool:
        name = quote(file.name, safe="")
        address = f"{self.server}/api/v1/investigations/{self.id}/files/{name}"
        with file.path.open("rb") as handle:
            headers = {
                **self.headers,
                "Content-Type": "application/octet-stream",
                "Content-Length": str(file.path.stat().st_size),
            }
            request = urllib.request.Request(address, data=handle, headers=headers, method="PUT")
            try:
                open_answer(self.server, request)
            except ServerTrouble as trouble:
                if trouble.status not in REFUSED_FILE:
                    raise
                complain(f"{file.name}: {trouble.detail}")
                return False
        return True

    def wait(self) -> None:
        """Until the analysis is over; raises WrongUsage or ServerTrouble when that was no success."""
        while True:
            now: dict[str, Any] = json.loads(self.get("progress"))
            if now["analysis"] == "finished":
                for file in now["files"]:
                    if file["error"]:
                        complain(f"{file['name']}: {file['error']}")
                return
            if now["analysis"] == "failed":
                raise WrongUsage(f"the analysis failed: {now['message']}")
            if now["analysis"] == "cancelled":
                raise ServerTrouble("the analysis was cancelled on the server.")
            time.sleep(BETWEEN_LOOKS_S)

    def compare_with(self, baseline: str) -> Comparison | None:
        """With an investigation of this server the server compares and keeps the answer; else it is made here. None
        when ``latest:LABEL`` names nothing."""
        base = baseline if baseline.startswith(LATEST) else self._own_id(baseline)
        if base is None:
            return compare_reports(
                read_subject(baseline),
                Subject(parse_report(self.get("report"), self.link), self.link),
                created=now_text(),
                tool_version=tool_version(),
            )
        path = f"/api/v1/investigations/{self.id}/comparisons"
        body = json.dumps({"base": base}).encode()
        headers = {**self.headers, "Content-Type": "application/json"}
        try:
            made = json.loads(ask(self.server, path, method="POST", headers=headers, body=body))
        except ServerTrouble as trouble:
            if trouble.status == 404 and base.startswith(LATEST):
                return None
            raise
        return Comparison.model_validate_json(self.get(f"comparisons/{made['id']}"))

    def _own_id(self, baseline: str) -> str | None:
        """Of an investigation of this server; None for a share link, another server or a saved report."""
        if not is_link(baseline):
            return None
        link = read_link(baseline)
        return link.investigation_id if link.server == self.server else None


def create_investigation(server: str, token: str, label: str) -> RemoteInvestigation:
    """A new one; raises WrongUsage for an address that is none, ServerTrouble when the server does not answer."""
    if urlsplit(server).scheme not in ("http", "https") or not urlsplit(server).netloc:
        raise WrongUsage(f"--server wants an address like http://127.0.0.1:8000, not “{server}”.")
    server = server.rstrip("/")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    body = json.dumps({"label": label}).encode()
    asked = {**headers, "Content-Type": "application/json"}
    made = json.loads(ask(server, "/api/v1/investigations", method="POST", headers=asked, body=body))
    return RemoteInvestigation(server, str(made["id"]), headers)
