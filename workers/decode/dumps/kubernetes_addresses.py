"""`kubectl get pods -o wide` and `kubectl get services`, with or without `-A`: which addresses are whose.

NAMESPACE   NAME            READY   STATUS    RESTARTS      AGE   IP            NODE          NOMINATED NODE   READINESS GATES
payments    checkout-7f9c   1/1     Running   1 (3h ago)    5h    10.244.1.17   kind-worker   <none>           <none>
NAMESPACE   NAME         TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE    SELECTOR
default     kubernetes   ClusterIP   10.96.0.1    <none>        443/TCP   12d    <none>
"""  # noqa: E501 - as it is printed

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.dumps import AddressName, Dump
from workers.decode.dumps.fields import canonical_address, numbered
from workers.decode.dumps.formats import share_owned

KIND = "kubernetes-addresses"

_HEADER: Final = re.compile(
    r"(?:NAMESPACE +)?NAME +(?:READY +STATUS +RESTARTS +AGE +IP +NODE|TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\(S\))(?: |$)"
)
_GAP: Final = " {1,300}"
_AGE: Final = r"(?:\d{1,6}[smhdy]){1,3}"
_NAMES: Final = (
    rf"(?:(?P<namespace>[a-z0-9][a-z0-9-]{{0,62}}){_GAP})?(?P<name>[a-z0-9][a-z0-9.-]{{0,252}}){_GAP}"
)
_POD: Final = re.compile(
    rf"{_NAMES}\d{{1,3}}/\d{{1,3}}{_GAP}(?P<status>[A-Z][\w:/-]{{1,60}}){_GAP}\d{{1,7}}(?: \({_AGE} ago\))?{_GAP}"
    rf"{_AGE}{_GAP}(?P<address>[\da-f.:]{{3,45}}|<none>){_GAP}\S{{1,255}}(?: |$)"
)
_SERVICE: Final = re.compile(
    rf"{_NAMES}(?:ClusterIP|NodePort|LoadBalancer|ExternalName){_GAP}(?P<address>\S{{3,45}}){_GAP}(?P<outer>\S{{1,400}})"
    rf"{_GAP}\S{{1,400}}{_GAP}{_AGE}(?: |$)"
)
_OVER: Final = ("Completed", "Error", "Evicted", "Succeeded", "Failed")


def recognise(head: Sequence[str]) -> float:
    """The share of rows and headers of such listings."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A row with an address, or the header above it."""
    return bool(_HEADER.match(line) or _POD.match(line) or _SERVICE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """A header begins a listing."""
    return bool(previous) and _HEADER.match(line) is not None


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The names. Pods that share an address are in their node's network: the address is the node's."""
    names: list[AddressName] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        names += _names_in(line, number)
        if not owns_line(line):
            not_understood.append(number)
    pods = Counter(each.address for each in names if each.sort == "pod")
    own = tuple(each for each in names if each.sort != "pod" or pods[each.address] == 1)
    return Dump(KIND, len(lines), tuple(not_understood), address_names=own)


def _names_in(line: str, number: int) -> Iterator[AddressName]:
    pod, service = _POD.match(line), _SERVICE.match(line)
    row = pod or service
    if row is None or (pod is not None and pod["status"] in _OVER):
        return
    name = f"{row['namespace']}/{row['name']}" if row["namespace"] else row["name"]
    texts = [row["address"], *(service["outer"].split(",") if service is not None else ())]
    for address in filter(None, map(canonical_address, texts)):
        yield AddressName(number, address, name, "service" if service is not None else "pod")
