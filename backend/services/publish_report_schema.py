"""Writes the JSON Schemas of the report and of the comparison: `python -m backend.services.publish_report_schema`."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from backend.forensics.comparison.result import Comparison
from backend.forensics.report import Report

DOCS = Path(__file__).parents[2] / "docs"
PUBLISHED = DOCS / "report.schema.json"
PUBLISHED_COMPARISON = DOCS / "comparison.schema.json"


def report_schema_text() -> str:
    """The schema of `stallscope.report/1` as it is published, with a final line end."""
    return _schema_text(Report, "stallscope.report/1")


def comparison_schema_text() -> str:
    """The schema of `stallscope.comparison/1`, the same."""
    return _schema_text(Comparison, "stallscope.comparison/1")


def _schema_text(model: type[BaseModel], title: str) -> str:
    schema = model.model_json_schema(by_alias=True, mode="serialization")
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title}
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PUBLISHED.write_text(report_schema_text(), encoding="utf-8")
    PUBLISHED_COMPARISON.write_text(comparison_schema_text(), encoding="utf-8")
