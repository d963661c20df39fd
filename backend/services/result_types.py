"""Types of fields that results have in common, with their form in JSON."""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainSerializer

EpochNs = Annotated[int, PlainSerializer(str, return_type=str)]
"""ns since 1970 UTC; decimal digits in JSON, because numbers of JavaScript are exact up to 2^53 only."""
