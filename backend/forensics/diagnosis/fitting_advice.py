"""Commands as this evidence needs them: with the host's address where it is known, without kubectl where nothing speaks
of Kubernetes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from backend.forensics.addresses import shortest_text
from backend.forensics.cases.case import Case, End
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.report import DiagnosisPart, MissingPart, RemedyPart, RivalPart

_HOST: Final = re.compile(r"\bHOST\b")
_KUBERNETES: Final = re.compile(r"\bkubectl\b|\bkube-(?:proxy|system)\b")
_STEPS: Final = re.compile(r"\s*(?:;|&&)\s*")

Change = Callable[[str], str]


def with_fitting_advice(
    part: DiagnosisPart, findings: Sequence[Case], *, kubernetes: bool, asked: Callable[[], str] = str
) -> DiagnosisPart:
    """The diagnosis with its commands changed, and without those of which nothing is left. `asked` gives the
    address that most of its attempts named, for one without findings."""
    host = _host_of(part, findings) or asked()

    def fitted(command: str) -> str:
        named = _HOST.sub(host, command) if host else command
        return named if kubernetes else _without_kubectl(named)

    missing = [m for m in (_missing(each, fitted) for each in part.missing) if m.command]
    remedies = [_remedy(r, fitted) for r in part.remedies if kubernetes or not _only_of_kubernetes(r)]
    rivals = [_rival(each, fitted) for each in part.rivals]
    return part.model_copy(update={"missing": missing, "remedies": remedies, "rivals": rivals})


def _host_of(part: DiagnosisPart, findings: Sequence[Case]) -> str:
    """The address that most of its findings are about; "" where none shows."""
    about = (flow for finding in findings if finding.id in part.findings for flow in finding.flows)
    return _most_named(flow.destination for flow in about)


def _most_named(ends: Iterable[End | None]) -> str:
    counted = Counter(address for end in ends if (address := _address(end)))
    return min(counted, key=lambda address: (-counted[address], address)) if counted else ""


def _address(end: End | None) -> str:
    """ "" for what is none: words stand where no host is known."""
    return end.address if isinstance(end, Endpoint) else (shortest_text(end or "") or "")


def _without_kubectl(command: str) -> str:
    kept = [step for step in _STEPS.split(command) if not _KUBERNETES.search(step)]
    return command if not _KUBERNETES.search(command) else "; ".join(kept)


def _only_of_kubernetes(remedy: RemedyPart) -> bool:
    """What it changes is Kubernetes' own."""
    command = remedy.command or ""
    if "Kubernetes" in remedy.applies_to or "pod" in remedy.applies_to.lower().split():
        return True
    return bool(_KUBERNETES.search(command)) and not _without_kubectl(command)


def _missing(each: MissingPart, change: Change) -> MissingPart:
    return each.model_copy(update={"command": change(each.command)})


def _rival(each: RivalPart, change: Change) -> RivalPart:
    return each.model_copy(update={"command": (change(each.command) or None) if each.command else None})


def _remedy(each: RemedyPart, change: Change) -> RemedyPart:
    changed = {"command": (change(each.command) or None) if each.command else None}
    return each.model_copy(update={**changed, "check": change(each.check), "undo": change(each.undo)})
