"""What is asked for below a link: the route and its parameters, as the router found them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from backend.services.redaction.declared import Declared


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
