"""Names that a search list makes of one name (resolv.conf(5), `search` and `ndots`)."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property


class SearchedNames:
    """A search list appends its suffixes to the whole name that was asked for, dots or not. Names that only begin
    alike (``www.example.com`` and ``www.example.org``) are no tries of one."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def tries_of_one(self, first: str, second: str) -> bool:
        """Whether both can be tries for one name: a name and the same with a suffix, or one name with two suffixes.

        Two suffixes are known for such when one is the tail of the other, as in a cluster (``ns.svc.cluster.local``,
        ``svc.cluster.local``, ``cluster.local``), when the name was asked for without them, too, or when each was
        appended to another name that was asked for as it is."""
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
        if not rest or (len(rest) < len(other) and rest == other[-len(rest) :]):
            return True
        if ".".join(one[:same]) in self._whole:
            return True
        return ".".join(rest) in self._suffixes and ".".join(other) in self._suffixes

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(self._names)

    @cached_property
    def _suffixes(self) -> frozenset[str]:
        """What was appended to names that were asked for without it, too."""
        found = set()
        for name in self._names:
            at = name.find(".")
            while at > 0:
                if name[:at] in self._whole:
                    found.add(name[at + 1 :])
                at = name.find(".", at + 1)
        return frozenset(found)
