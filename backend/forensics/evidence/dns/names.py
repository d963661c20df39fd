"""Names that a search list makes of one name (resolv.conf(5), `search` and `ndots`)."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=65536)
def tries_of_one(first: str, second: str) -> bool:
    """Whether both can be tries for one name: ``a.b`` + suffix and ``a.b``, or ``a.b`` with two suffixes.

    Suffixes are known for such when one is the tail of the other, as in a cluster (``ns.svc.cluster.local``,
    ``svc.cluster.local``, ``cluster.local``), or when what was asked for has a dot itself."""
    if first == second:
        return False
    one, two = first.split("."), second.split(".")
    same = 0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        same += 1
    if not same:
        return False
    rest, other = sorted((one[same:], two[same:]), key=len)
    if not rest:
        return True
    if len(rest) < len(other) and rest == other[-len(rest) :]:
        return True
    return same >= 2
