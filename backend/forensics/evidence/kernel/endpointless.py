"""Rules by which kube-proxy drops or rejects what is sent to a service without endpoints, and what they counted.

pkg/proxy/iptables/proxier.go: without any endpoint the filter table rejects ("… has no endpoints"); with a Local policy
and no endpoint on this node it drops ("… has no local endpoints"; before 1.25 by KUBE-MARK-DROP of a KUBE-XLB chain).
pkg/proxy/nftables/proxier.go: the maps no-endpoint-services and no-endpoint-nodeports hold the same, uncounted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from backend.forensics.addresses import shortest_text
from backend.forensics.dumps import FilterRule
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.drop_rules import NO_ENDPOINT_MAPS, DropRule, list_rules

_VERDICTS: Final = ("DROP", "REJECT", "KUBE-MARK-DROP", "REJECT-CHAIN")
_COMMENT = re.compile(r"([\w.-]{1,253}/[\w.-]{1,253}(?::[\w.-]{0,63})?) has no (local )?endpoints\b")
_NO_COMMENT = re.compile(r"\bhas no (local )?endpoints\b")
_ELEMENT_SERVICE = re.compile(r'comment "([^"]{1,400})"')
_ELEMENT = re.compile(r"(?:([0-9a-fA-F.:]{2,45}) \. )?(?:tcp|udp|sctp) \. (\d{1,5})\b")
_ADDRESS = re.compile(
    r"(?:-d|ip6? daddr) ([0-9a-fA-F.:]{2,45})(?:/(?:32|128))?(?=\s)|\s([0-9a-fA-F.:]{2,45})\s+/\* "
)
_PORT = re.compile(r"(?:--dport|dport|dpt:)\s?(\d{1,5})\b")
_EVERY_ADDRESS: Final = frozenset(("0.0.0.0", "::"))


@dataclass(frozen=True)
class EndpointlessRule:
    """One rule, in all listings of one host. `counted`: its packets are known, and rose by `packets` between the
    listings, or are `packets` in the only one."""

    found: DropRule
    listings: int

    @property
    def packets(self) -> int:
        return self.found.packets

    @property
    def counted(self) -> bool:
        return self.found.rule.packets is not None

    @property
    def lines(self) -> tuple[tuple[str, int], ...]:
        return self.found.lines

    @property
    def text(self) -> str:
        return self.found.rule.text

    @property
    def rejects(self) -> bool:
        """The client is refused at once; else it waits for an answer."""
        return self.found.rule.verdict.upper().startswith("REJECT")

    @cached_property
    def local(self) -> bool:
        """Other nodes have endpoints, this one has none and may use no other's."""
        said = _NO_COMMENT.search(self.text)
        return bool(said[1]) if said else not self.rejects

    @cached_property
    def service(self) -> str:
        """``default/web``, "" where the rule does not name it."""
        named = _COMMENT.search(self.text) or _ELEMENT_SERVICE.search(self.text)
        return named[1].partition(":")[0] if named else ""

    @cached_property
    def address(self) -> str:
        """Of the service, in its shortest form; "" for every address of the node (a node port)."""
        element = _ELEMENT.search(self.text) if self.found.rule.chain in NO_ENDPOINT_MAPS else None
        match = element or _ADDRESS.search(self.text)
        text = next((group for group in match.groups() if group), "") if match else ""
        known = shortest_text(text) if ("." in text or ":" in text) else None
        return known if known and known not in _EVERY_ADDRESS else ""

    @cached_property
    def port(self) -> int | None:
        if self.found.rule.chain in NO_ENDPOINT_MAPS:
            element = _ELEMENT.search(self.text)
            return int(element[2]) if element else None
        match = _PORT.search(self.text)
        return int(match[1]) if match else None


def list_endpointless(dumps: Sequence[DumpInput]) -> list[EndpointlessRule]:
    """Those of one host, in the order of their lines."""
    return [EndpointlessRule(rule, len(rule.lines)) for rule in list_rules(dumps, _fits, _VERDICTS)]


def _fits(rule: FilterRule) -> bool:
    return rule.chain in NO_ENDPOINT_MAPS or _NO_COMMENT.search(rule.text) is not None
