"""One cause at many destinations is one answer: its diagnoses as the rows of a table."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ConfigDict

from backend.forensics.findings import lost_text
from backend.forensics.report import DiagnosisPart, Role, Verdict
from backend.forensics.report_impact import ImpactPart, Unit
from backend.forensics.report_text import Text
from backend.forensics.wording import worded_as
from backend.text_classes import FixedText, ProseText

GROUPED_FROM: Final = 2
PREFIX_LEAST: Final = {4: 16, 6: 48}
"""Bits by IP version: what two addresses of one network share at least. Fewer are shared by accident."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GroupRowPart(_Part):
    """One diagnosis of the group."""

    diagnosis: FixedText
    """Its id."""
    finding: FixedText | None
    """Id of its first finding."""
    impact: ImpactPart
    time_lost_s: float


class CauseGroupPart(_Part):
    """Diagnoses of one cause with equal confidence at several destinations. Counts are sums over them."""

    cause: FixedText
    title: Text
    role: Role
    verdict: Verdict
    statement: Text
    unit: Unit
    diagnoses: list[FixedText]
    """Ids; the first stands for all of them."""
    destinations: int
    affected: int
    total: int
    time_lost_s: float
    longest_s: float
    shared: ProseText
    """What the destinations have in common, "" where nothing is known: ``port 443 in 192.0.2.0/24``."""
    rows: list[GroupRowPart]
    """By time lost, the most first."""
    rows_total: int


@dataclass(frozen=True)
class Headline:
    """The sentence that stands for an answer, and what it cost; of a group, over all its destinations."""

    diagnosis: DiagnosisPart
    statement: str
    time_lost_s: float


def group_causes(diagnoses: Sequence[DiagnosisPart], destinations_total: int) -> list[CauseGroupPart]:
    """The groups, in the order of their first diagnoses. `destinations_total` counts the destinations of all
    connections, affected or not."""
    found: dict[tuple[str, str, str], list[DiagnosisPart]] = {}
    for each in diagnoses:
        if each.id and each.impact is not None:
            found.setdefault((each.cause, each.verdict, each.impact.unit), []).append(each)
    several = (members for members in found.values() if len(members) >= GROUPED_FROM)
    return [_group(members, destinations_total) for members in several]


def answers_of(
    diagnoses: Sequence[DiagnosisPart], groups: Sequence[CauseGroupPart]
) -> list[tuple[DiagnosisPart, CauseGroupPart | None]]:
    """What a reader gets an answer to: each diagnosis that stands alone, and the first of each group."""
    first = {group.diagnoses[0]: group for group in groups}
    others = {name for group in groups for name in group.diagnoses[1:]}
    return [(each, first.get(each.id)) for each in diagnoses if each.id not in others]


def headline_of(diagnoses: Sequence[DiagnosisPart], destinations_total: int) -> Headline | None:
    """What the first answer says, of all its destinations; None where nothing was diagnosed."""
    answers = answers_of(diagnoses, group_causes(diagnoses, destinations_total))
    if not answers:
        return None
    diagnosis, group = answers[0]
    return Headline(diagnosis, (group or diagnosis).statement, (group or diagnosis).time_lost_s)


def _group(members: Sequence[DiagnosisPart], destinations_total: int) -> CauseGroupPart:
    first = members[0]
    rows = [_row(each, each.impact) for each in members if each.impact is not None]
    rows.sort(key=lambda row: -row.time_lost_s)  # stable: of equals the order of the report
    unit = rows[0].impact.unit
    destinations = sum(1 + row.impact.other_destinations for row in rows)
    group = CauseGroupPart(
        cause=first.cause,
        title=first.title,
        role=first.role,
        verdict=first.verdict,
        statement="",
        unit=unit,
        diagnoses=[each.id for each in members],
        destinations=destinations,
        affected=sum(row.impact.affected for row in rows),
        total=sum(row.impact.total for row in rows),
        time_lost_s=round(sum(row.time_lost_s for row in rows), 6),
        longest_s=max(row.impact.longest_s for row in rows),
        shared=_shared(rows),
        rows=rows,
        rows_total=len(rows),
    )
    # Resolvers are no destinations of connections that were counted.
    of = destinations_total if unit == "connections" and destinations_total >= destinations else 0
    return group.model_copy(update={"statement": _statement(group, of)})


def _row(each: DiagnosisPart, impact: ImpactPart) -> GroupRowPart:
    finding = each.findings[0] if each.findings else None
    return GroupRowPart(diagnosis=each.id, finding=finding, impact=impact, time_lost_s=each.time_lost_s)


def _statement(group: CauseGroupPart, of: int) -> str:
    """``Packet loss on the path at 43 of 190 destinations: 129 of 2,580 connections, 195 s lost; they share …``"""
    where = f"{group.destinations:,} of {of:,} destinations" if of else f"{group.destinations:,} destinations"
    lost = f", {lost_text(group.time_lost_s)} lost" if group.time_lost_s else ""
    shared = f"; they share {group.shared}" if group.shared else ""
    text = f"{group.title} at {where}: {group.affected:,} of {group.total:,} {group.unit}{lost}{shared}."
    return worded_as(group.verdict, text)


def _shared(rows: Sequence[GroupRowPart]) -> str:
    if any(row.impact.other_destinations for row in rows):
        return ""  # their addresses are not listed
    ends = [row.impact.destination.rpartition(":") for row in rows]
    ports = {port for _, _, port in ends}
    port = f"port {ports.pop()}" if len(ports) == 1 else ""
    return " in ".join(part for part in (port, _prefix(host.strip("[]") for host, _, _ in ends)) if part)


def _prefix(hosts: Iterable[str]) -> str:
    """The smallest network that holds all of them; "" where they are no addresses of one network."""
    try:
        addresses = [ipaddress.ip_address(host) for host in hosts]
    except ValueError:
        return ""  # pseudonyms
    versions = {address.version for address in addresses}
    if len(versions) != 1:
        return ""
    differing = 0
    for address in addresses:
        differing |= int(address) ^ int(addresses[0])
    length = addresses[0].max_prefixlen - differing.bit_length()
    if differing == 0:
        return f"the host {addresses[0]}"
    if length < PREFIX_LEAST[versions.pop()]:
        return ""
    return str(ipaddress.ip_network(f"{addresses[0]}/{length}", strict=False))
