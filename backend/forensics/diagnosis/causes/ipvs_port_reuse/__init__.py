"""IPVS drops the first SYN on a tuple that still has an entry, so that the connection waits for the retransmission.

With `conn_reuse_mode` other than 0 and `net.ipv4.vs.conntrack=1` a SYN on an entry in TIME_WAIT expires the entry
and is dropped; the retransmission, about 1 s later, is scheduled again (net/netfilter/ipvs/ip_vs_core.c; commit
f719e3754ee2). Commit f0a5e4d7a594 (Linux 5.9, stable 4.19.140 and 5.8.2) ends the drop. Incident: Kubernetes issue
71114.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.causes.ipvs_port_reuse.evidence import Drops, collect_drops, weigh_drops
from backend.forensics.diagnosis.causes.ipvs_port_reuse.remedies import list_remedies
from backend.forensics.diagnosis.causes.ipvs_port_reuse.rivals import list_rivals
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.diagnosis.ipvs_settings import read_settings
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, seconds_text
from backend.forensics.report import ClaimPart, MissingPart

CAUSE = "ipvs-port-reuse"
TITLE = "IPVS port reuse (conn_reuse_mode)"
ALTERNATIVES: Final = (
    Alternative(
        "Server in TIME_WAIT",
        "the SYN reaches the server; here IPVS drops it, and its retransmission 1 s later passes",
    ),
    Alternative("Packet loss on the path", "lost SYNs are on tuples that were not in use shortly before"),
)
COLLECT: Final = (
    MissingPart(
        what="The entries of the tuple, and the settings that decide",
        command="ipvsadm -Lnc; sysctl net.ipv4.vs.conn_reuse_mode net.ipv4.vs.expire_nodest_conn; uname -r",
    ),
)
PRIOR = -2.5
"""Needs IPVS, a kernel without the fix (or a setting that brings it back) and clients short of ports."""
CEILING_WITHOUT_IPVS = 0.3
"""Without any sign of IPVS nothing distinguishes it from every other drop of used tuples."""

REFERENCES = (
    "net/netfilter/ipvs/ip_vs_core.c: commit f719e3754ee2 (2016) drops the SYN, f0a5e4d7a594 (Linux 5.9; stable "
    "4.19.140 and 5.8.2) no longer does",
    "Documentation/networking/ipvs-sysctl.rst: conn_reuse_mode, expire_nodest_conn, conntrack",
    "Kubernetes issue 71114; pull request 88541: kube-proxy does not change conn_reuse_mode from kernel 5.9 on",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination at which SYNs on used tuples were lost."""
    return [_hypothesis(facts, found) for found in collect_drops(facts, findings)]


def _hypothesis(facts: Facts, found: Drops) -> Hypothesis:
    weighed = weigh_drops(facts, found)
    inside = found.located == len(found.losses)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(found),
        prior=PRIOR,
        steps=tuple(_steps(found)),
        weighed=tuple(weighed.pieces),
        both_sides=inside and found.located > 0,
        independent=weighed.service_listed and weighed.mode_drops,
        signs=int(weighed.service_listed) + int(weighed.mode_drops) + int(inside),
        findings=found.victims.findings,
        time_lost_s=found.victims.time_lost_s,
        rivals=tuple(list_rivals(facts, found)),
        missing=tuple(_missing(facts, found)),
        remedies=tuple(list_remedies(facts)),
        references=REFERENCES,
        refutation=(
            "it would be refuted by conn_reuse_mode = 0, by unused 5-tuples that are affected as much, "
            "or by such a SYN seen at the real server"
        ),
        figures=(*found.victims.figures, *found.inactive_figure),
        impact=found.victims.impact,
        ceiling=0.999 if weighed.ipvs_seen else CEILING_WITHOUT_IPVS,
        attempts=found.victims.links,
    )


def _statement(found: Drops) -> str:
    used = f"{found.victims.hurt} waited: their SYN, on a 5-tuple used {seconds_text(found.gap_median_s)} before,"
    if not found.located:
        return f"{used} was lost. IPVS drops such SYNs; one vantage point cannot prove it."
    inner, outer = found.between
    return f"{used} was lost between {inner} and {outer}: IPVS dropped it."


def _steps(found: Drops) -> list[ClaimPart]:
    loss = found.losses[len(found.losses) // 2]
    reused = found.reused[loss.attempt.link]
    first = loss.transmission.first
    steps = []
    if reused.frames:
        ago = seconds_text(reused.gap_ns / 1e9)
        text = f"{reused.client} had a connection to {reused.server} that ended {ago} before."
        frames = frame_evidence((reused.place.input, frame) for frame in reused.frames)
        steps.append(ClaimPart(role="step", text=text, evidence=frames))
    where = f" and was last seen at {loss.transmission.last.place.word}" if loss.inside else ""
    text = f"{first.source} sent a SYN on the same 5-tuple{where}."
    frames = frame_evidence((s.place.input, s.frame) for s in loss.transmission.sightings)
    steps.append(ClaimPart(role="step", text=text, evidence=frames))
    if loss.retry is not None:
        gap_s = (loss.retry.time_ns - loss.transmission.time_ns) / 1e9
        behind = loss.retry.last.destination
        to = f" to {behind}" if behind != first.destination else ""
        text = f"The retransmitted SYN passed after {seconds_text(gap_s)}{to}."
        frames = frame_evidence((s.place.input, s.frame) for s in loss.retry.sightings)
        steps.append(ClaimPart(role="step", text=text, evidence=frames))
    return steps


def _missing(facts: Facts, found: Drops) -> list[MissingPart]:
    missing = []
    if not found.services and not found.listed_elsewhere:
        what = "The IPVS virtual services: is this destination one of them?"
        missing.append(MissingPart(what=what, command="ipvsadm -Ln; ipvsadm -Lnc"))
    settings = read_settings(facts.node)
    if settings.reuse_mode is None:
        what = "The settings that matter: conn_reuse_mode, conntrack, expire_nodest_conn"
        missing.append(MissingPart(what=what, command="sysctl net.ipv4.vs net.ipv4.ip_local_port_range"))
    if found.located < len(found.losses):
        what = (
            "A capture on both sides of IPVS at the same time: the SYN must be present before it and "
            "absent behind it"
        )
        missing.append(MissingPart(what=what, command="tcpdump -i any -y LINUX_SLL2 -s 96 -w any.pcap tcp"))
    if settings.kernel is None:
        what = "The kernel: from 5.9 on (and in stable 4.19.140 and 5.8.2) the SYN is no longer dropped"
        missing.append(MissingPart(what=what, command="uname -r"))
    return missing
