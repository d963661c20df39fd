"""What is asked for below a link: the route and its parameters, as the router found them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from backend.errors import NotFound
from backend.services.redaction.declared import Declared

NOT_SHARED = "This is not part of what was shared."


@dataclass(frozen=True)
class Place:
    """``frames/{file_id}/{number}`` with its file and its number."""

    route: str
    """Below the link. Rules name routes, never addresses."""
    parameters: Mapping[str, str]
    declared: Declared
    """By its endpoint."""

    @property
    def address(self) -> str:
        """``frames/eth0.pcap/7``"""
        return self.route.format_map(self.parameters)

    def with_parameter(self, name: str, value: str) -> Place:
        """The same route with another value."""
        return replace(self, parameters={**self.parameters, name: value})

    def whole(self, name: str) -> int:
        """A parameter that is a whole number; raises NotFound for anything else."""
        if not re.fullmatch(r"[0-9]{1,16}", self.parameters[name]):
            raise NotFound(NOT_SHARED)
        return int(self.parameters[name])


def whole_or(text: str | None, otherwise: int) -> int:
    """A whole number of a query, or what is meant where there is none."""
    return int(text) if text and re.fullmatch(r"-?[0-9]{1,19}", text) else otherwise
