"""Everything of one analysis that the API asks, as tables in the analysis's folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from backend.forensics.evidence.facts import Facts
from backend.forensics.part_references import batches_in_own_files, paths_in_own_files
from backend.forensics.path_table import path_table
from backend.forensics.report import FindingPart
from backend.forensics.request_parts import part_batches
from backend.forensics.request_table import request_batches
from backend.forensics.rotation.joined_captures import JoinedCaptures
from backend.forensics.round_trip_table import round_trip_batches
from backend.storage import write_tables


def write_analysis_tables(
    facts: Facts, findings: Sequence[FindingPart], joined: JoinedCaptures, folder: Path
) -> None:
    """The tables of connections, requests, their parts, and round trips."""
    paths = path_table(facts, findings)
    write_tables.write_paths(paths_in_own_files(paths, joined), folder)
    write_tables.write_requests(batches_in_own_files(request_batches(facts, paths), joined), folder)
    write_tables.write_request_parts(batches_in_own_files(part_batches(facts), joined), folder)
    write_tables.write_round_trips(batches_in_own_files(round_trip_batches(facts, findings), joined), folder)
