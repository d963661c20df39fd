"""JUnit and SARIF as others define them: what is written is held to the published schemas."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from lxml import etree

SCHEMAS = Path(__file__).parent / "official_schemas"


def sarif_violations(text: str) -> list[str]:
    """Each with its place; empty for a valid document."""
    return [
        f"{list(error.absolute_path)}: {error.message}" for error in _sarif().iter_errors(json.loads(text))
    ]


def junit_violations(text: str) -> list[str]:
    """As libxml2 says them; empty for a valid document."""
    schema = _junit()
    valid = schema.validate(etree.fromstring(text.encode()))
    return [] if valid else [str(error) for error in schema.error_log]


@cache
def _sarif() -> jsonschema.Draft4Validator:
    schema = json.loads((SCHEMAS / "sarif-2.1.0-rtm.5.json").read_text())
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


@cache
def _junit() -> Any:
    return etree.XMLSchema(etree.parse(SCHEMAS / "junit-10.xsd"))
