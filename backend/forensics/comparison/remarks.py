"""What makes two investigations less comparable, and what could not be compared at all."""

from __future__ import annotations

from backend.forensics.comparison.pairing import Pairing
from backend.forensics.comparison.thresholds import Thresholds
from backend.forensics.report import Report

QUANTITIES = {"connect_time": "time to connect", "rtt": "round-trip time", "service_time": "service time"}
NAMES_SHOWN = 5


def list_cautions(base: Report, candidate: Report) -> list[str]:
    """Differences between the recordings, not between the services."""
    cautions = []
    if base.tool.version != candidate.tool.version:
        cautions.append(
            f"The reports come from two versions of Stallscope ({base.tool.version} and "
            f"{candidate.tool.version}), which may use different detection rules."
        )
    places = [
        sorted({lane.role for lane in r.lanes if lane.captured and lane.packets}) for r in (base, candidate)
    ]
    if places[0] != places[1] and all(places):
        cautions.append(
            f"The captures were taken at different vantage points (base:  {', '.join(places[0])}; candidate: "
            f"{', '.join(places[1])}): response times are shorter nearer to the server."
        )
    for name, report in (("base", base), ("candidate", candidate)):
        loss = [f for f in report.findings if f.kind == "capture-loss" and f.severity != "info"]
        if loss:
            cautions.append(
                f"The {name}'s captures lack packets ({loss[0].title}): missing packets are not counted."
            )
        if not any(part.packets for part in report.inputs):
            cautions.append(f"The {name} holds no packets, so only its dumps could be compared.")
    return cautions


def list_not_compared(base: Report, candidate: Report, pairing: Pairing, thresholds: Thresholds) -> list[str]:
    """In sentences."""
    remarks = []
    for name, parts in (("base", pairing.only_base), ("candidate", pairing.only_candidate)):
        if parts:
            names = [part.destination for part in parts]
            shown = ", ".join(names[:NAMES_SHOWN])
            more = f" and {len(names) - NAMES_SHOWN:,} more" if len(names) > NAMES_SHOWN else ""
            remarks.append(f"Only the {name} has traffic to {shown}{more}.")
    for name, report in (("base", base), ("candidate", candidate)):
        beyond = report.destinations_total - len(report.destinations)
        if beyond > 0:
            remarks.append(
                f"The {name} has {beyond:,} more destinations; only the {len(report.destinations):,} most used count."
            )
        if not report.destinations and any(part.packets for part in report.inputs):
            remarks.append(
                f"The report of the {name} holds no waits per destination (no TCP connection began in it, or an older "
                "version wrote it), so no times were compared."
            )
    return remarks + _too_few(pairing, thresholds)


def _too_few(pairing: Pairing, thresholds: Thresholds) -> list[str]:
    remarks = []
    for pair in pairing.pairs:
        base = {each.quantity: each.samples for each in pair.base.distributions}
        few = [
            f"{QUANTITIES[each.quantity]} {base.get(each.quantity, 0):,} and {each.samples:,}"
            for each in pair.candidate.distributions
            if min(base.get(each.quantity, 0), each.samples) < thresholds.samples_min
        ]
        if few:
            remarks.append(
                f"{pair.candidate.destination} has too few samples, base and candidate: {', '.join(few)}; "
                f"{thresholds.samples_min} each are needed."
            )
    return remarks
