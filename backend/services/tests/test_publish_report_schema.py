import json

import jsonschema

from backend.forensics.comparison.tests.build_report import compare, destination, finding, report
from backend.forensics.report import Report, ToolPart
from backend.services.publish_report_schema import (
    PUBLISHED,
    PUBLISHED_COMPARISON,
    comparison_schema_text,
    report_schema_text,
)


def test_the_published_schema_is_up_to_date() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == report_schema_text(), (
        "write it anew: python -m backend.services.publish_report_schema"
    )


def test_a_report_satisfies_the_schema() -> None:
    empty = Report(
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
    jsonschema.validate(json.loads(empty.model_dump_json(by_alias=True)), schema)


def test_the_published_schema_of_the_comparison_is_up_to_date() -> None:
    assert PUBLISHED_COMPARISON.read_text(encoding="utf-8") == comparison_schema_text(), (
        "write it anew: python -m backend.services.publish_report_schema"
    )


def test_a_comparison_satisfies_its_schema() -> None:
    one = report(destination(sent_again=40), findings=[finding(count=40)])
    schema = json.loads(PUBLISHED_COMPARISON.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(
        json.loads(compare(report(destination()), one).model_dump_json(by_alias=True)), schema
    )
