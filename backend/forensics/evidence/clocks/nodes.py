"""Which vantage points are of one node.

Only evidence says so: one capture of several named interfaces that was not merged, or hosts that were given or that
listings name. That packets pass quickly from one to the other is none: two machines on one switch are microseconds
apart, too."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.sightings import Place


def same_node(captures: Sequence[Capture], one: Place, other: Place) -> bool:
    """Whether both are known to be of one machine."""
    if one.machine == other.machine:
        return True
    hosts = [captures[place.capture].host for place in (one, other)]
    return all(hosts) and hosts[0] == hosts[1]
