"""`kubectl describe` of services, endpoints, pods and nodes, `kubectl get endpoints` and `kubectl get events`.

Name:                     web
Endpoints:                <none>
External Traffic Policy:  Local
NAME   ENDPOINTS   AGE
web    <none>      12d
  Warning  Unhealthy  12m (x35 over 3h)  kubelet  Readiness probe failed: dial tcp 10.244.1.7:8080: connect: connection refused
"""  # noqa: E501 - as printed

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.dumps import Dump, LogMessage
from workers.decode.dumps.described_names import Described
from workers.decode.dumps.fields import numbered

KIND = "component-log"

_NAMES: Final = (
    "Name|Namespace|Labels|Annotations|Selector|Type|IP|IPs|IP Family Policy|IP Families|LoadBalancer Ingress|"
    "External IPs|Port|TargetPort|NodePort|Endpoints|Session Affinity|External Traffic Policy|Internal Traffic Policy|"
    "HealthCheck NodePort|Events|Subsets|Addresses|NotReadyAddresses|Ports|Node|Status|Priority|Start Time|"
    "Controlled By|Containers|Conditions|Volumes|QoS Class|Node-Selectors|Tolerations|Service Account|InternalIP|"
    "ExternalIP|Hostname"
)
_FIELD = re.compile(rf"\s{{0,6}}(?P<name>{_NAMES}):(?:\s{{1,40}}(?P<value>.*))?$")
_CERTAIN = re.compile(
    rf"(?:{_NAMES}):\s{{5,40}}\S|Events:\s*$|"
    r"(?:Endpoints|Session Affinity|External Traffic Policy|Internal Traffic Policy|HealthCheck NodePort|"
    r"IP Family Policy|QoS Class|LoadBalancer Ingress):\s"
)
_EVENT = re.compile(
    r"\s{0,4}(?P<type>Warning|Normal)\s{2,40}(?P<reason>[A-Z][A-Za-z]{2,40})\s{2,40}"
    r"(?P<age>[\w<>]{2,16}(?: \(x\d{1,9} over "
    r"[\w<>]{1,12}\))?|\S{1,12})\s{2,40}(?P<source>\S{3,120}(?: \S{1,60})?)\s{2,40}(?P<text>\S.*)$"
)
_LISTED_EVENT = re.compile(
    r"(?P<age>\w{2,16})\s{2,40}(?P<type>Warning|Normal)\s{2,40}(?P<reason>[A-Z][A-Za-z]{2,40})\s{2,40}"
    r"(?P<source>\w{2,40}/\S{1,120})\s{2,40}(?P<text>\S.*)$"
)
_TITLE = re.compile(
    r"(?:NAMESPACE\s{2,40})?NAME\s{2,80}ENDPOINTS\s{2,200}AGE|\s{2}Type\s{2,20}Reason\s{2,40}Age|\s{2}-{4}\s{2,20}-{6}|"
    r"LAST SEEN\s{2,20}TYPE\s"
)
_ENDPOINTS = re.compile(
    r"(?P<name>[\w.-]{1,120}(?:\s{2,60}[\w.-]{1,120})?)\s{2,80}(?P<ends><none>|"
    r"[\d.:,\[\]a-f]{9,200}(?: \+ \d{1,6} more\.{3})?)"
    r"\s{2,200}\w{2,12}\s*$"
)
_NONE: Final = "<none>"


def recognise(head: Sequence[str]) -> float:
    """Sure when a field of a service, an event or a title is there."""
    return 1.0 if any(map(owns_line, head)) else 0.0


def owns_line(line: str) -> bool:
    """A title, an event, or a field that nothing else prints."""
    return bool(_CERTAIN.match(line) or _EVENT.match(line) or _LISTED_EVENT.match(line) or _TITLE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """What is described follows each other."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Services without endpoints, warnings of events, and whose addresses are shown."""
    messages: list[LogMessage] = []
    strange: list[int] = []
    described = [Described()]
    in_table = False
    for number, line in numbered(lines, first_line):
        event, field = _EVENT.match(line) or _LISTED_EVENT.match(line), _FIELD.match(line)
        row = _ENDPOINTS.match(line) if in_table else None
        if event is not None:
            level = "warning" if event["type"] == "Warning" else "info"
            messages.append(
                LogMessage(number, event["source"], level, event["text"][:2_000], event["reason"])
            )
        elif field is not None:
            value, is_indented = (field["value"] or "").strip(), line[:1] == " "
            if field["name"] == "Name" and not is_indented:
                described.append(Described())
            described[-1].add(field["name"], value, number, is_indented=is_indented)
            messages += _of_field(field["name"], value, number)
        elif row is not None:
            messages += _of_field("Endpoints", row["ends"], number, row["name"].split()[-1])
        elif _TITLE.match(line):
            in_table = "ENDPOINTS" in line
        elif line[:1] not in " \t":
            strange.append(number)
    names = tuple(name for each in described for name in each.names())
    return Dump(KIND, len(lines), tuple(strange), log_messages=tuple(messages), address_names=names)


def _of_field(name: str, value: str, number: int, service: str = "") -> list[LogMessage]:
    if name != "Endpoints":
        return []
    of = f" of {service}" if service else ""
    text = f"Endpoints{of}: {value}"
    return [LogMessage(number, "kubectl", "warning" if value in ("", _NONE) else "info", text, "endpoints")]
