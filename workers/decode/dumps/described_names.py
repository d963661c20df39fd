"""The addresses of what `kubectl describe` shows: a pod, a service or a node.

Name:             checkout-7f9c             Name:       web             Name:   kind-worker
Namespace:        payments                  Namespace:  default         Addresses:
Node:             kind-worker/172.18.0.3    Type:       ClusterIP         InternalIP:  172.18.0.3
Status:           Running                   IP:         10.96.0.10        Hostname:    kind-worker
IP:               10.244.1.17
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from backend.forensics.dumps import AddressName, NameSort
from workers.decode.dumps.fields import canonical_address

_OF_SERVICES: Final = ("ClusterIP", "NodePort", "LoadBalancer")
_OVER: Final = ("Succeeded", "Failed")
_NODE_ADDRESSES: Final = ("InternalIP", "ExternalIP")


@dataclass
class Described:
    """The fields of one object: values and their lines by name. A node has several addresses of a type."""

    fields: dict[str, list[tuple[str, int]]] = field(default_factory=dict)

    def add(self, name: str, value: str, line: int, *, is_indented: bool) -> None:
        """A field of the object; indented ones are its parts', of which only a node's addresses are its own."""
        if not is_indented or name in _NODE_ADDRESSES:
            self.fields.setdefault(name, []).append((value, line))

    def names(self) -> Iterator[AddressName]:
        """The addresses, each with the line that shows it."""
        name, namespace = self._value("Name"), self._value("Namespace")
        full = f"{namespace}/{name}" if namespace else name
        if not name:
            return
        if self._value("Type") in _OF_SERVICES:
            yield from self._named(("IP", "IPs", "LoadBalancer Ingress", "External IPs"), full, "service")
        elif "Node" in self.fields:
            node, _, address = self._value("Node").partition("/")
            yield from self._as(address, node, "node", self.fields["Node"][0][1])
            if self._value("IP") != address and self._value("Status") not in _OVER:
                yield from self._named(("IP",), full, "pod")
        elif not namespace:
            yield from self._named(_NODE_ADDRESSES, name, "node")

    def _named(self, fields: tuple[str, ...], name: str, sort: NameSort) -> Iterator[AddressName]:
        seen: set[str] = set()
        for value, line in chain.from_iterable(self.fields.get(each, ()) for each in fields):
            for text in value.split(","):
                for found in self._as(text.strip(), name, sort, line):
                    if found.address not in seen:
                        seen.add(found.address)
                        yield found

    def _as(self, text: str, name: str, sort: NameSort, line: int) -> Iterator[AddressName]:
        address = canonical_address(text) if text else None
        if address is not None and name:
            yield AddressName(line, address, name, sort)

    def _value(self, name: str) -> str:
        return self.fields[name][0][0] if name in self.fields else ""
