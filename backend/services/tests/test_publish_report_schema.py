import json

import jsonschema

from backend.forensics.report import Report, ToolPart
from backend.services.publish_report_schema import PUBLISHED, report_schema_text


def test_the_published_schema_is_up_to_date() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == report_schema_text(), (
        "write it anew: python -m backend.services.publish_report_schema"
    )


def test_a_report_satisfies_the_schema() -> None:
    report = Report(
        schema="stallscope.report/1",
        label="l",
        created="2026-11-21T00:00:00Z",
        tool=ToolPart(version="1"),
        inputs=[],
        findings=[],
        diagnoses=[],
        checked=[],
    )
    schema = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(report.model_dump_json(by_alias=True)), schema)
