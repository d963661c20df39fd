"""Every name that the evidence states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa

from backend.forensics.addresses import address_text
from backend.forensics.captures import Capture
from backend.forensics.dumps import AddressName
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.naming.name_table import NameTable, SourcedName

_ANSWER: Final = 0x8000
_READ: Final = ("frame", "time_ns", "header", "address_version", "address_high", "address_low", "name")


def gather_names(captures: Sequence[Capture], dumps: Sequence[DumpInput]) -> NameTable:
    """By address and time."""
    return NameTable([*_of_dumps(dumps), *(each for capture in captures for each in _of_capture(capture))])


def _of_dumps(dumps: Sequence[DumpInput]) -> Iterator[SourcedName]:
    for each in dumps:
        yield from (SourcedName(each.input, named) for named in each.dump.address_names)


def _of_capture(capture: Capture) -> Iterator[SourcedName]:
    """What a name resolution block states, and DNS answers: the address is that name's from the first answer on. An
    address that was the answer to several names is not named by them."""
    yield from (SourcedName(capture.name, named) for named in capture.address_names)
    answers: dict[str, dict[str, AddressName]] = {}
    for batch in capture.messages.dns.batches(_READ) if capture.messages.dns.rows else ():
        for named in _answered(pa.Table.from_batches([batch])):
            answers.setdefault(named.address, {}).setdefault(named.name, named)
    for names in answers.values():
        if len(names) == 1:
            yield SourcedName(capture.name, next(iter(names.values())), in_frames=True)


def _answered(table: pa.Table) -> Iterator[AddressName]:
    import pyarrow.compute as pc  # functions that most captures need none of

    answers = pc.greater_equal(table["header"], _ANSWER)
    rows = table.filter(pc.and_(answers, pc.greater(table["address_version"], 0)))
    # The same answer comes again and again: one row each of address and name.
    keys = ["address_high", "address_low", "name"]
    first = rows.group_by(keys).aggregate([("time_ns", "min"), ("frame", "min")])
    for row in first.to_pylist():
        address, name = address_text(row["address_high"], row["address_low"]), row["name"].rstrip(".")
        if name:
            yield AddressName(row["frame_min"], address, name, "dns", row["time_ns_min"])
