"""Filters by names of addresses: ``pod == "payments"`` is the packets from or to its addresses while they were its."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

from backend.forensics.addresses import address_halves
from backend.forensics.dumps import NameSort
from backend.forensics.report import NamePart
from backend.services.open_tables import epoch_ns
from backend.services.packet_language.problem import BadFilter, Spot
from backend.services.packet_language.tokens import Token
from backend.storage.packet_conditions import AddressRange, AllOf, AnyOf, AtPlaces, Compared, Expression
from backend.storage.packet_fields import PACKET_FIELDS, PacketField

NAMES_AT_MOST: Final = 2_000
"""Addresses with their times in one condition."""
_SORTS: Final[dict[str, tuple[NameSort, ...]]] = {
    "pod": ("pod", "container"), "service": ("service",), "node": ("node", "host"),
}  # fmt: skip
_ENDS: Final = (PACKET_FIELDS["ip.addr"], PACKET_FIELDS["ipv6.addr"])
_TIME: Final = PACKET_FIELDS["frame.time_relative"]


def names_of_field(names: Sequence[NamePart], field: PacketField) -> list[NamePart]:
    """Those that the field is about."""
    return [each for each in names if each.sort in _SORTS[field.name]]


def has_name(names: Sequence[NamePart], field: PacketField, spot: Spot) -> Expression:
    """One end has a name of that sort."""
    return _ends(names_of_field(names, field), spot)


def named(names: Sequence[NamePart], field: PacketField, values: Sequence[Token]) -> Expression:
    """One end has one of the names: whole, without its namespace, or the beginning before a hyphen, as a Deployment is
    of its pods. A namespace alone, with a slash behind it, is all of its pods. Raises BadFilter for an unknown one."""
    known = names_of_field(names, field)
    found: list[NamePart] = []
    for value in values:
        fitting = [each for each in known if _fits(each.name, value.value)]
        if not fitting:
            near = difflib.get_close_matches(
                value.value, sorted({each.name for each in known}), n=3, cutoff=0.3
            )
            text = f"No address in this investigation is of a {field.name} `{value.value}`."
            raise BadFilter(text, value.spot, did_you_mean=tuple(f'"{each}"' for each in near))
        found += fitting
    return _ends(found, values[0].spot)


def _fits(name: str, wanted: str) -> bool:
    bare = name.rpartition("/")[2]
    if wanted.endswith("/"):
        return name.startswith(wanted)
    return wanted in (name, bare) or name.startswith(f"{wanted}-") or bare.startswith(f"{wanted}-")


def _ends(found: Sequence[NamePart], spot: Spot) -> Expression:
    if len(found) > NAMES_AT_MOST:
        raise BadFilter(f"These are more than {NAMES_AT_MOST:,} addresses: name fewer.", spot)
    always = [each for each in found if each.start is None and each.end is None]
    parts: list[Expression] = [_either_end(always)] if always else []
    parts += [AllOf((_either_end([each]), *_while(each))) for each in found if each.start or each.end]
    # No packet has a name where there are none.
    return AnyOf(tuple(parts)) if parts else AtPlaces(())


def _either_end(found: Sequence[NamePart]) -> Expression:
    ranges = tuple(
        AddressRange(halves, halves) for each in found for halves in [address_halves(each.address)]
    )
    v4 = tuple(each for each in ranges if each.first[0] == 0 and each.first[1] >> 32 == 0xFFFF)
    v6 = tuple(each for each in ranges if each not in v4)
    both = zip(_ENDS, (v4, v6), strict=True)
    return AnyOf(tuple(Compared(field, "==", operands) for field, operands in both if operands))


def _while(name: NamePart) -> list[Expression]:
    parts: list[Expression] = []
    if name.start:
        parts.append(Compared(_TIME, ">=", (epoch_ns(name.start),)))
    if name.end:
        parts.append(Compared(_TIME, "<", (epoch_ns(name.end),)))
    return parts
