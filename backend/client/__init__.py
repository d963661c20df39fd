"""Stallscope from a program: `Stallscope(server)` over the HTTP API. Imports the standard library and httpx2 alone.

The documents that come back (report, findings, connections …) are those of the API, as JSON: docs/report.schema.json,
docs/comparison.schema.json and ``/api/openapi.json`` say what is in them."""

from backend.client.investigation import Investigation
from backend.client.links import Link, is_link, open_link, read_link, without_secret
from backend.client.problems import NotFinished, Problem
from backend.client.records import File, InvestigationRecord, Progress, ShareLink
from backend.client.server import Stallscope
from backend.client.uploads import Sent

__all__ = [
    "File",
    "Investigation",
    "InvestigationRecord",
    "Link",
    "NotFinished",
    "Problem",
    "Progress",
    "Sent",
    "ShareLink",
    "Stallscope",
    "is_link",
    "open_link",
    "read_link",
    "without_secret",
]
