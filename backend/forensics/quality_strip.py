"""Sentences for the capture-quality strip: what can be trusted, what nobody could see."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.evidence.absence.measured_times import time_problems
from backend.forensics.evidence.clocks.clocks import ClockOffset
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.tcp.wrong_checksums import places_of_offload
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.lanes import uncaptured_sources
from backend.forensics.private_words import of_file, of_place
from backend.forensics.report import DiagnosisPart, FindingPart, InputPart, QualityPart
from backend.forensics.unused_listings import unused_listings


def describe_quality(
    facts: Facts, findings: Sequence[FindingPart], diagnoses: Sequence[DiagnosisPart] = ()
) -> list[QualityPart]:
    """Good news and cautions, the account of the lost SYNs among them."""
    if not facts.has_packets:
        return []
    parts = [
        _drops(facts),
        *_missing_places(facts),
        *_one_way(facts),
        *_resolutions(facts),
        *_times(facts),
        *_clocks(facts),
        *_offload(facts),
        *_wrong_checksums(facts),
        *_counters(facts),
        *unused_listings(facts, diagnoses),
    ]
    return [*parts, *_account(facts)]


def cautions_of_inputs(inputs: Sequence[InputPart]) -> list[QualityPart]:
    """A caution for each file with warnings or an error, by the file's name: a truncated capture proves less."""
    parts = []
    for part in sorted(inputs, key=lambda each: (each.name, each.sha256)):
        texts = dict.fromkeys([*part.warnings, *([part.error] if part.error else [])])
        if texts:
            text = f"{of_file(part.name)}: {'; '.join(text.rstrip('.') for text in texts)}"
            parts.append(QualityPart(status="caution", text=text))
    return parts


def _drops(facts: Facts) -> QualityPart:
    quality = facts.quality
    if quality.dropped:
        return QualityPart(
            status="caution",
            text=f"{plural(quality.dropped, 'packet')} dropped before capture",
        )
    if quality.lossy:
        text = (
            f"{plural(quality.lost_segments, 'ACK')} for uncaptured data: packets are missing from the "
            "capture, absence proves little"
        )
        return QualityPart(status="caution", text=text)
    if quality.dropped == 0:
        counting = plural(quality.interfaces_reporting, "interface counts", "interfaces count")
        return QualityPart(status="good", text=f"0 packets dropped before capture, as {counting}")
    return QualityPart(
        status="good", text="no ACK for uncaptured data: no sign of packets missing from the capture"
    )


def _missing_places(facts: Facts) -> list[QualityPart]:
    sources = uncaptured_sources(facts)
    captured = {p.name for p in facts.attempts.places}
    absent = [
        (name, i) for name, i in facts.kernel.interfaces() if i.master in captured and i.name not in captured
    ]
    parts = []
    if absent:
        names = ", ".join(f"{of_place(i.name)}" for _, i in absent)
        shared = of_place(absent[0][1].master)
        text = f"{names}: not captured, loss before {shared} is invisible for the pods behind them"
        parts.append(
            QualityPart(status="caution", text=text, evidence=line_evidence((n, i.line) for n, i in absent))
        )
    if sources:
        text = f"{', '.join(sources)}: first captured on a shared interface, no capture at the pod itself"
        parts.append(QualityPart(status="caution", text=text))
    return parts


def _one_way(facts: Facts) -> list[QualityPart]:
    unheard = len(facts.unheard_hosts)
    if not unheard:
        return []
    text = (
        f"no packet of {plural(unheard, 'host')} was captured, though connections to it opened: one "
        "direction only, absent responses prove nothing"
    )
    if unheard > 1:
        text = text.replace("connections to it", "connections to them")
    return [QualityPart(status="caution", text=text)]


def _resolutions(facts: Facts) -> list[QualityPart]:
    steps = {p.point.time_resolution_ns for p in facts.attempts.places}
    if len(steps) > 1:
        return [
            QualityPart(
                status="caution",
                text="time stamps of different resolution: order within a microsecond is not certain",
            )
        ]
    return []


def _times(facts: Facts) -> list[QualityPart]:
    return [
        QualityPart(
            status="caution",
            text=f"{of_place(problem.input)}: {problem.text}",
            evidence=frame_evidence((problem.input, frame) for frame in problem.frames),
        )
        for problem in time_problems(facts.captures)
    ]


def _clocks(facts: Facts) -> list[QualityPart]:
    offsets = [
        QualityPart(
            status="caution",
            text=f"the clock of {c.input} {_differs(c)} ({plural(c.matched, 'matched packet')}), corrected",
        )
        for c in (*facts.interface_offsets, *facts.clocks.offsets)
        if c.corrected
    ]
    return offsets + [QualityPart(status="caution", text=text) for text in facts.clocks.problems]


def _differs(clock: ClockOffset) -> str:
    text = f"is {clock.offset_ns / 1e6:+,.3f} ms from that of {clock.reference}"
    if clock.drift_ppm:
        text += f" and drifts by {clock.drift_ppm:+.1f} ppm"
    sure = f"± {clock.uncertainty_ns / 1e6:,.3f} ms" if clock.both_directions else _ONE_WAY
    return f"{text}, {sure}"


_PLACES_SHOWN = 3
_ONE_WAY = "the path's delay included as packets of one direction only were matched"


def _offload(facts: Facts) -> list[QualityPart]:
    places = {p.number: p for p in places_of_offload(facts.captures, facts.attempts.places)}
    places |= {w.place.number: w.place for w in facts.wrong_checksums if w.verdict == "filled in later"}
    if not places:
        return []
    names = ", ".join(f"{place.word}" for place in list(places.values())[:_PLACES_SHOWN])
    more = f" and {len(places) - _PLACES_SHOWN} more" if len(places) > _PLACES_SHOWN else ""
    text = f"checksums at {names}{more}: not filled in by the host (offload), no damage"
    return [QualityPart(status="good", text=text)]


def _wrong_checksums(facts: Facts) -> list[QualityPart]:
    parts = []
    for wrong in facts.wrong_checksums:
        if wrong.verdict == "filled in later":
            continue
        outer = "outer " if wrong.of_tunnel else ""
        text = f"{plural(wrong.packets, 'packet')} with a wrong {outer}checksum at {wrong.place.word}"
        if wrong.other is not None:
            text += f", not wrong at {wrong.other.word}: damaged on the path"
        else:
            text += ": damaged on the path, or changed after the capture"
        parts.append(QualityPart(status="caution", text=text, evidence=frame_evidence(wrong.frames)))
    return parts


def _counters(facts: Facts) -> list[QualityPart]:
    delta = facts.node.delta
    contradictions = [QualityPart(status="caution", text=text) for text in facts.kernel.contradictions]
    if delta is None:
        if contradictions or not facts.kernel.has("conntrack-stats"):
            return contradictions
        return [QualityPart(status="caution", text=_not_compared(facts))]
    shown = [
        f"+{delta.deltas[n]:,} {n}" for n in ("insert_failed", "drop", "early_drop") if n in delta.deltas
    ]
    evidence = line_evidence(
        [(delta.before, n) for n in delta.before_lines] + [(delta.after, n) for n in delta.after_lines]
    )
    text = f"conntrack -S before and after: {', '.join(shown)}"
    return [*contradictions, QualityPart(status="good", text=text, evidence=evidence)]


def _not_compared(facts: Facts) -> str:
    """Why `conntrack -S` output was given and makes no rise."""
    hosts = facts.listed_hosts.hosts
    if len(hosts) < 2:
        return facts.node.delta_problem
    listed = sum(host.kernel.has("conntrack-stats") for host in hosts)
    return f"conntrack -S of {listed} of {len(hosts)} hosts was not compared: {facts.node.delta_problem}"


def _account(facts: Facts) -> list[QualityPart]:
    """Every retry must have its SYN: the sum says whether the places explain all of them."""
    if not facts.losses:
        return []
    places = facts.losses.count_places()
    parts = " + ".join(f"{n:,} {where}" for where, n in sorted(places.items(), key=lambda p: (-p[1], p[0])))
    open_places = sum(n for where, n in places.items() if where.startswith("unknown"))
    if open_places:
        return [QualityPart(status="caution", text=f"not all attributed: {facts.losses.in_words} = {parts}")]
    return [QualityPart(status="good", text=f"all attributed: {facts.losses.in_words} = {parts}")]
