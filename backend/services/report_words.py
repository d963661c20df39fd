"""Words that every rendering of a report uses for the same thing."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.cause_groups import GroupRowPart
from backend.forensics.findings import lost_text, seconds_text
from backend.forensics.report import (
    CheckedPart,
    DiagnosisPart,
    EvidencePart,
    FindingPart,
    InputPart,
    OutcomesPart,
    RemedyPart,
    Report,
    RequestShapePart,
)
from backend.forensics.wording import plural

VERDICTS = {
    "confirmed": "Confirmed",
    "likely": "Likely",
    "possible": "Possible",
    "cannot-tell": "Undecided",
}
ROLES = {
    "loss": "Loss",
    "stall": "Stall",
    "burst": "Burst",
    "collision": "Collision",
    "ok": "Fine",
    "neutral": "Note",
}
STATUSES = {"ruled-out": "ruled out", "possible": "possible", "cannot-tell": "undecided"}
CHECKED = {
    "found": "found",
    "harmless": "seen, harmless",
    "failed": "not checked, the check failed",
    "clear": "none",
    "not-checkable": "not checked",
}
REFERENCES_EXPLAINED = "file#frame as Wireshark numbers it, file:line in a dump"
_NOT_IN_THIS_VERSION = "not in this version"
_PROGRAMS = frozenset(
    (
        "arping", "aws", "bridge", "cat", "cilium", "cilium-dbg", "conntrack", "curl", "dig", "echo", "ethtool",
        "fuser", "grep", "helm", "ip", "ip6tables", "iptables", "iptables-save", "ipvsadm", "kiam", "kubectl",
        "modprobe", "mtr", "nft", "nstat", "perf", "ping", "softirqslower", "ss", "strace", "sysctl", "tc", "tcpdump",
        "uname", "vmstat",
    )
)  # fmt: skip
"""Of the commands in advice; other words begin a sentence or a line of a configuration."""


def plain_verdict(report: Report) -> str:
    """The one sentence where there is no diagnosis: nothing found, findings without a cause, or no input."""
    number = sum(finding.severity != "info" for finding in report.findings)
    if number:
        return f"{plural(number, 'finding')}, but no cause supported by the evidence"
    if any(part.failed or part.slow for part in report.outcomes):
        return f"No rule matched, but {'; '.join(map(outcome_sentence, report.outcomes))}"
    clear = [checked.kind for checked in report.checked if checked.status == "clear"]
    harmless = [checked.kind for checked in report.checked if checked.status == "harmless"]
    if not clear and not harmless:
        return "No rule could be checked on these inputs; the missing inputs are listed below"
    seen = f"seen, harmless: {', '.join(harmless)}" if harmless else ""
    none = f"checked on these inputs, none found: {', '.join(clear)}" if clear else ""
    text = "; ".join(part for part in (none, seen) if part)
    return text[0].upper() + text[1:]


_SUBJECTS = {"tls-handshakes": "TLS handshake"}
_FINE = ("established", "answered")


def outcome_sentence(part: OutcomesPart) -> str:
    """``12 of 13 connections failed (12 refused: 12 of 12 to 192.0.2.1:80), 0 took 0.5 s or more``."""
    kinds = [f"{o.count:,} {o.outcome.replace('-', ' ')}" for o in part.by_outcome if o.failed]
    others = [
        f"{o.count:,} {o.outcome.replace('-', ' ')}"
        for o in part.by_outcome
        if not o.failed and o.outcome not in _FINE
    ]
    subject = _SUBJECTS.get(part.what, part.what.removesuffix("s"))
    failed = f"{part.failed:,} of {plural(part.total, subject)} failed"
    worst = [f"{d.failed:,} of {d.total:,} to {d.destination}" for d in part.by_destination[:1]]
    why = f" ({', '.join(kinds)}{': ' + worst[0] if worst else ''})" if kinds else ""
    rest = f"; {', '.join(others)}" if others else ""
    return f"{failed}{why}, {part.slow:,} took {part.slow_from_s:g} s or more{rest}"


def remedy_title(remedy: RemedyPart) -> str:
    """``Switch checksum offloading off (where TcpInCsumErrors rises)``."""
    return f"{remedy.what} (where {remedy.condition})" if remedy.condition else remedy.what


def account_sentence(report: Report) -> str:
    """``29 connections waited 0.9 s or more = 28 SNAT source-port collision + 1 unexplained``; "" without any."""
    account = report.account
    if account is None or not account.delayed:
        return ""
    parts = [f"{line.count:,} {line.title or line.cause}" for line in account.explained]
    parts.append(f"{account.unexplained:,} unexplained")
    waited = f"waited {account.threshold_s:g} s or more above the baseline"
    return f"{plural(account.delayed, 'connection')} {waited} = {' + '.join(parts)}"


def references_of(evidence: Sequence[EvidencePart], *, shown_each: int = 4) -> list[str]:
    """``any.pcap#241 #242 and 50 more`` and ``conntrack-S.txt:1 :2``, one text for each input."""
    texts = []
    for part in evidence:
        for sign, numbers in (("#", part.frames), (":", part.lines)):
            if not numbers:
                continue
            shown = " ".join(f"{sign}{number}" for number in numbers[:shown_each])
            more = f" and {len(numbers) - shown_each:,} more" if len(numbers) > shown_each else ""
            texts.append(f"{part.input}{shown}{more}")
        if not part.frames and not part.lines:
            texts.append(part.input)
    return texts


def is_sure(diagnosis: DiagnosisPart) -> bool:
    """Whether it is sure enough to act on: below that, finding out comes before any change."""
    return diagnosis.verdict in ("confirmed", "likely")


def group_row_cells(row: GroupRowPart) -> list[str]:
    """Destination, how many of how many, time lost, longest."""
    impact = row.impact
    others = impact.other_destinations
    more = f" and {plural(others, 'other destination')}" if others else ""
    return [
        f"{impact.destination}{more}",
        f"{impact.affected:,} of {impact.total:,}",
        lost_text(row.time_lost_s) if row.time_lost_s else "",
        seconds_text(impact.longest_s),
    ]


def group_row_words(row: GroupRowPart) -> str:
    """``192.0.2.1:443: 3 of 60 connections, 3.0 s lost, longest 1,008 ms``."""
    destination, affected, lost, longest = group_row_cells(row)
    lost = f", {lost} lost" if lost else ""
    return f"{destination}: {affected} {row.impact.unit}{lost}, longest {longest}"


def is_command(text: str) -> bool:
    """Whether this is to be typed, not read: a check, a change and an undo can be either."""
    return text.split(" ", 1)[0] in _PROGRAMS


def nothing_against(diagnosis: DiagnosisPart) -> str:
    """What stands where nothing speaks against it: what would refute it."""
    refutation = diagnosis.refutation.strip().rstrip(".")
    if not refutation:
        return "Nothing was found."
    sentence = refutation[0].upper() + refutation[1:] + "."
    return sentence if refutation.lower().startswith("nothing") else f"Nothing was found. {sentence}"


def remedies_without_repeats(remedies: Sequence[RemedyPart]) -> list[RemedyPart]:
    """The remedies, each later one without what it has in common with the first."""
    if not remedies:
        return []
    first = remedies[0]
    shared = ("check", "proof", "undo", "side_effect")
    later = [
        remedy.model_copy(
            update={name: "" for name in shared if getattr(remedy, name) == getattr(first, name)}
        )
        for remedy in remedies[1:]
    ]
    return [first, *later]


def parts_of(shape: RequestShapePart) -> list[tuple[str, float]]:
    """What the time of such a request goes into (ms, medians), the dearest first; what took no time is left out."""
    parts = [
        ("metadata", shape.metadata_p50_ms),
        ("DNS", shape.dns_p50_ms),
        ("upstream calls", shape.calls_p50_ms),
        ("own processing", shape.own_p50_ms),
    ]
    return sorted((part for part in parts if part[1] > 0), key=lambda part: -part[1])


def callees_of(shape: RequestShapePart) -> str:
    """``credentials ×2, GET 10.0.0.9:80/price``; "" where it asks nobody."""
    return ", ".join(f"{c.name} ×{c.count:,}" if c.count > 1 else c.name for c in shape.callees)


def not_looked_for(report: Report) -> list[str]:
    """Kinds that this version looks for in no input at all; the reader needs only their names."""
    return [checked.kind for checked in report.checked if checked.why.startswith(_NOT_IN_THIS_VERSION)]


def looked_for(report: Report) -> list[CheckedPart]:
    """What was looked for or could be with more input: found first, then harmless and clear, then not checkable."""
    order = list(CHECKED)
    kept = [checked for checked in report.checked if not checked.why.startswith(_NOT_IN_THIS_VERSION)]
    return sorted(kept, key=lambda checked: order.index(checked.status))


def findings_without_cause(report: Report) -> list[FindingPart]:
    """Findings that no diagnosis explains."""
    explained = {finding for diagnosis in report.diagnoses for finding in diagnosis.findings}
    return [finding for finding in report.findings if finding.id not in explained]


def size_of(part: InputPart) -> str:
    """``13,545 packets`` or ``357 lines, 2 not understood``."""
    if part.kind == "capture":
        return plural(part.packets, "packet")
    text = plural(part.lines, "line")
    return f"{text}, {part.lines_not_understood:,} not understood" if part.lines_not_understood else text
