"""Writes the JSON Schema of the report: `python -m backend.services.publish_report_schema`."""

from __future__ import annotations

import json
from pathlib import Path

from backend.forensics.report import Report

PUBLISHED = Path(__file__).parents[2] / "docs" / "report.schema.json"


def report_schema_text() -> str:
    """The schema of `stallscope.report/1` as it is published, with a final line end."""
    schema = Report.model_json_schema(by_alias=True, mode="serialization")
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "stallscope.report/1",
    }
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PUBLISHED.write_text(report_schema_text(), encoding="utf-8")
