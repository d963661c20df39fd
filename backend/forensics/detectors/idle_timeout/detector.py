"""The first data after a silence, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from backend.forensics.cases.case import Flow
from backend.forensics.cases.idle_timeout import DeadConnection, IdleTimeout
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import draw_instances, present_case
from backend.forensics.detectors.idle_timeout.known import fitting
from backend.forensics.detectors.idle_timeout.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.tcp.short_silences import Unanswered, find_unanswered
from backend.forensics.evidence.tcp.tcp_anomalies import TcpAnomalies
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.packets import MARK_KEEP_ALIVE, RST
from backend.forensics.report import EvidencePart, FindingPart
from backend.forensics.signals import AFTER_SILENCE, REPLY, SENT_AGAIN

KIND = "idle-timeout"
OUTCOME_WORDS = {"reset": "reset", "nothing": "no response", "survived": "alive"}


@dataclass(frozen=True)
class _Waking:
    """Data after a silence: `outcome` is ``reset``, ``nothing``, ``survived`` or ``open`` (unknown). `at` is the
    first signal of it; after a short silence that is its first repetition, sent `late_ns` after it."""

    at: int
    silence_s: float
    outcome: str
    lost_s: float
    shown: tuple[int, ...]
    late_ns: int = 0
    survived_s: float = 0.0
    """The longest short silence that connections to the same server survived."""


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per server with a connection that a silence killed."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    anomalies = facts.anomalies
    wakings = _wakings(anomalies, find_unanswered(facts.captures, anomalies), thresholds)
    dead = [w for w in wakings if w.outcome in ("reset", "nothing")]
    if not wakings:
        return Detection(
            "clear", "no connection failed when used again after 5 s idle, or was reset after 20 s idle"
        )
    why = (
        f"{len(dead):,} of {plural(len(wakings), 'connection')} were dead when used again after an idle time"
    )
    if not dead:
        return Detection("clear", why)
    by_server: dict[int, list[_Waking]] = {}
    for waking in wakings:
        by_server.setdefault(int(anomalies.server[waking.at]), []).append(waking)
    stuck = _stuck(anomalies, wakings, thresholds)
    servers = sorted({int(anomalies.server[w.at]) for w in dead})
    cases = [
        _case(anomalies, server, by_server[server], stuck.get(server, 0), thresholds)
        for server in servers[: thresholds.findings_most]
    ]
    return Detection.of(why, cases, partial(_present, thresholds=thresholds))


def _wakings(
    anomalies: TcpAnomalies, unanswered: Sequence[Unanswered], thresholds: Thresholds
) -> list[_Waking]:
    """The last silence of each connection decides, shorter ones before it were survived."""
    rows, found = anomalies.rows, []
    wakes = (rows["kind"] & AFTER_SILENCE) != 0
    data = wakes & (rows["payload_bytes"] > 0) & ((rows["marks"] & MARK_KEEP_ALIVE) == 0)
    data &= (rows["kind"] & SENT_AGAIN) == 0
    for at in np.flatnonzero(data).tolist():
        found.append(_outcome(anomalies, at, thresholds))
    long_silent = {int(anomalies.node[w.at]) for w in found}
    short = (_after_short_silence(anomalies, one, thresholds) for one in unanswered)
    found += [w for w in short if w is not None and int(anomalies.node[w.at]) not in long_silent]
    return [w for w in found if w.outcome != "open"]


def _after_short_silence(anomalies: TcpAnomalies, one: Unanswered, thresholds: Thresholds) -> _Waking | None:
    rows, at, silence_s = anomalies.rows, one.at[0], one.silence_ns / 1e9
    late_ns = int(rows["silence_ns"][at])
    begun_ns = int(rows["time_ns"][at]) - late_ns
    recorded_s = (anomalies.places[int(anomalies.place[at])].point.last_ns - begun_ns) / 1e9
    other_closed = anomalies.connections[int(anomalies.node[at])]["fins"] & (
        2 if rows["from_client"][at] else 1
    )
    if silence_s < thresholds.short_silence_s or recorded_s < thresholds.recorded_s or other_closed:
        return None
    lost_s = (int(rows["time_ns"][one.at[-1]]) - begun_ns) / 1e9
    return _Waking(at, silence_s, "nothing", lost_s, one.at, late_ns, one.survived_ns / 1e9)


def _outcome(anomalies: TcpAnomalies, at: int, thresholds: Thresholds) -> _Waking:
    rows, node = anomalies.rows, int(anomalies.node[at])
    connection = anomalies.connections[node]
    silence_s = int(rows["silence_ns"][at]) / 1e9
    retries, shown, reply = 0, [at], None
    for later in range(at + 1, len(rows)):
        if anomalies.node[later] != node:
            break
        same_side = rows["from_client"][later] == rows["from_client"][at]
        if rows["kind"][later] & REPLY and not same_side:
            reply = later
            break
        if rows["kind"][later] & SENT_AGAIN and same_side:
            retries += 1
            shown.append(later)
    if reply is not None and not rows["tcp_flags"][reply] & RST:
        return _Waking(at, silence_s, "survived", 0.0, (at,))
    other_closed = connection["fins"] & (2 if rows["from_client"][at] else 1)
    until_ns = int(rows["time_ns"][reply if reply is not None else shown[-1]])
    lost_s = (until_ns - int(rows["time_ns"][at])) / 1e9
    if reply is not None:
        # Who had closed its side resets data on purpose: that is no time-out of somebody on the way.
        outcome = "open" if other_closed else "reset"
        return _Waking(at, silence_s, outcome, lost_s, (*shown, reply))
    point = anomalies.places[int(anomalies.place[at])].point
    recorded_s = (point.last_ns - int(rows["time_ns"][at])) / 1e9
    gone = retries >= thresholds.retries_least and recorded_s >= thresholds.recorded_s and not other_closed
    return _Waking(at, silence_s, "nothing" if gone else "open", lost_s, tuple(shown))


def _stuck(anomalies: TcpAnomalies, wakings: list[_Waking], thresholds: Thresholds) -> dict[int, int]:
    """By server: connections in which a segment was sent again as often, and no silence came before."""
    rows = anomalies.rows
    mine = (rows["kind"] & SENT_AGAIN) != 0
    mine &= ~np.isin(anomalies.node, [int(anomalies.node[w.at]) for w in wakings])
    columns = (anomalies.server, anomalies.node, rows["from_client"], rows["sequence"])
    each = np.stack([column[mine].astype(np.int64) for column in columns], axis=1)
    segments, times = np.unique(each, axis=0, return_counts=True)
    often = np.unique(segments[times >= thresholds.retries_least][:, :2], axis=0)
    servers, counts = np.unique(often[:, 0], return_counts=True)
    return dict(zip(servers.tolist(), counts.tolist(), strict=True))


def _case(
    anomalies: TcpAnomalies, server: int, wakings: list[_Waking], stuck: int, thresholds: Thresholds
) -> IdleTimeout:
    dead = [w for w in wakings if w.outcome != "survived"]
    survived_s = max(w.silence_s if w.outcome == "survived" else w.survived_s for w in wakings)
    died_s = min(w.silence_s for w in dead)
    known = fitting(survived_s, died_s)
    sure = len(dead) >= thresholds.notable_connections and thresholds.survived_ratio * survived_s < died_s
    sure = sure and stuck <= thresholds.stuck_ratio * len(dead)
    name = anomalies.servers[server]
    resets = sum(w.outcome == "reset" for w in dead)
    suspected = f" An idle timeout of {known[0]:g} s fits: {known[1]}." if known is not None else ""
    lived = f" Other connections survived up to {seconds_text(survived_s)} idle." if survived_s else ""
    times = [_woke_ns(anomalies, w) for w in dead]
    instances = tuple(_instance(anomalies, each) for each in dead)
    return IdleTimeout(
        severity="warning" if sure else "info",
        confidence=thresholds.confidence if sure else 0.5,
        summary=(
            f"{plural(len(dead), 'connection')} to {name} idle for {seconds_text(died_s)} or more failed when "
            f"used again: {resets:,} reset, {len(dead) - resets:,} without any response.{lived}{suspected}"
        ),
        count=len(dead),
        first_ns=min(times),
        last_ns=max(times),
        time_lost_s=sum(w.lost_s for w in dead),
        flows=tuple(Flow("tcp", client, name) for client in _clients(anomalies, dead)[:100]),
        instances=instances,
        evidence=_evidence(anomalies, dead),
        silence_min_s=round(died_s, 3),
        silence_max_s=round(max(w.silence_s for w in dead), 3),
        survived_max_s=round(survived_s, 3),
        used_again=len(wakings),
        reset=resets,
        unanswered=len(dead) - resets,
        unanswered_segments=sum(len(w.shown) for w in dead if w.outcome == "nothing"),
        stuck_without_silence=stuck,
        fitting_timeout_s=known[0] if known is not None else None,
        fitting_timeout_of=known[1] if known is not None else "",
    )


def _clients(anomalies: TcpAnomalies, dead: Sequence[_Waking]) -> list[Endpoint]:
    return sorted({anomalies.endpoints(int(anomalies.node[w.at]))[0] for w in dead}, key=str)


def _evidence(anomalies: TcpAnomalies, dead: Sequence[_Waking]) -> tuple[EvidencePart, ...]:
    frames = [
        frame for w in dead for frame in (*anomalies.frames([w.at], before=True), *anomalies.frames(w.shown))
    ]
    return tuple(
        frame_evidence(frames, "the last packet before the idle time, the first after it, and the response")
    )


def _woke_ns(anomalies: TcpAnomalies, waking: _Waking) -> int:
    """When the data after the silence was sent first."""
    return int(anomalies.common_ns[waking.at]) - waking.late_ns


def _instance(anomalies: TcpAnomalies, waking: _Waking) -> DeadConnection:
    end_ns = _woke_ns(anomalies, waking)
    client, server = anomalies.endpoints(int(anomalies.node[waking.at]))
    return DeadConnection(
        start_ns=end_ns - round(waking.silence_s * 1e9),
        end_ns=end_ns,
        lane=anomalies.places[int(anomalies.place[waking.at])].id,
        packets=tuple(anomalies.frames(waking.shown, before=True)),
        silence_s=round(waking.silence_s, 6),
        outcome=waking.outcome,
        source=str(client),
        destination=str(server),
    )


def _present(case: IdleTimeout, thresholds: Thresholds) -> FindingPart:
    return present_case(
        case,
        f"Dead connections to {case.target} after an idle time",
        marks=draw_instances(
            case.instances[: thresholds.marked],
            "bracket",
            "loss",
            label=lambda one: f"idle for {seconds_text(one.seconds)}, then {OUTCOME_WORDS[one.outcome]}",
            value=lambda one: one.seconds,
        ),
    )
