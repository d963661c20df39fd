"""The server closes an idle connection just as the client sends its next request on it: the request is reset.

RFC 9112 section 9.3.1: either end may close a persistent connection at any time, so that a request and a FIN cross.
The server's socket is gone when the request arrives and its kernel answers with RST (RFC 9293 section 3.10.7.1); a
proxy turns that into 502 or 503. It happens where the server's idle timeout is shorter than the client's, at the
server's timeout in every connection."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.lost_syns import about_servers
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.early_closes import EarlyCloses
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

CAUSE = "keepalive-race"
TITLE = "Keep-alive race: closed by the server, used by the client"
ALTERNATIVES: Final = (
    Alternative(
        "Idle timeout on the path",
        "a device forgets the connection in silence, and no FIN of the server comes before the request",
    ),
    Alternative(
        "A server that crashes", "its resets come at any time of a connection, not after the same idle time"
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The idle time-outs of both ends: the client's has to be the shorter one",
        command="nginx -T | grep keepalive; ss -tnoe state established",
    ),
)
PRIOR = -2.2
"""Not rare, and single resets have many reasons."""
SHORTEST_S = 0.3
"""Silence before the FIN: servers that close after each answer do it at once."""
SEVERAL = 2
EQUAL_RATIO = 0.1
"""Spread of a timer against its length: programs check idle connections about once a second (share of the median)."""
EQUAL_S = 1.1
DEFAULTS: Final = {
    2.0: "gunicorn keepalive",
    5.0: "Node.js server.keepAliveTimeout, Apache KeepAliveTimeout",
    60.0: "AWS Application Load Balancer idle timeout",
    75.0: "nginx keepalive_timeout",
}
"""Seconds, and whose default it is (their own documentation)."""
DEFAULT_RATIO = 0.1
SAME_RATIO = 0.02
"""Within this a silence is that timer and no chance."""

REFERENCES = (
    "RFC 9112 section 9.3.1: retrying requests; RFC 9293 section 3.10.7.1: RST for a closed connection",
    "docs.aws.amazon.com, Elastic Load Balancing: HTTP 502, the target closed the connection with a RST or a FIN",
    "nodejs.org, http: server.keepAliveTimeout; docs.gunicorn.org: keepalive; nginx.org: keepalive_timeout",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per server whose FIN crossed requests of its clients."""
    return [_hypothesis(findings, each) for each in facts.early_closes if _is_idle(each)]


def _is_idle(closes: EarlyCloses) -> bool:
    """The answers show no silence where they cannot be read: the crossing itself remains."""
    return not closes.quiet_s or statistics.median(closes.quiet_s) >= SHORTEST_S


def _silence(closes: EarlyCloses) -> str:
    if not closes.quiet_s:
        return ""
    return f" after {seconds_text(statistics.median(closes.quiet_s))} of silence"


def _hypothesis(findings: Sequence[Case], closes: EarlyCloses) -> Hypothesis:
    equal = _equal(closes)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"{plural(closes.crossed, 'request')} to {closes.server} crossed the server's FIN{_silence(closes)} and "
            "got a RST instead of an answer."
        ),
        prior=PRIOR,
        steps=(),
        weighed=(*_crossed(closes), *equal, *_default(closes)),
        both_sides=True,
        independent=False,
        signs=1 + len(equal),
        findings=about_servers(findings, frozenset((str(closes.server),))),
        time_lost_s=0.0,
        rivals=_rivals(closes),
        missing=(
            MissingPart(
                what="The idle time-outs of both ends: the client's has to be the shorter one",
                command="nginx -T | grep keepalive; "
                "aws elbv2 describe-load-balancer-attributes --load-balancer-arn ARN",
            ),
        ),
        remedies=_remedies(statistics.median(closes.quiet_s) if closes.quiet_s else 60.0),
        references=REFERENCES,
        refutation="it would be refuted by RSTs that acknowledge the server's FIN",
        figures=(("requests reset", f"{closes.crossed:,}"),),
    )


def _crossed(closes: EarlyCloses) -> list[Weighed]:
    frames = frame_evidence(closes.frames)
    text = (
        f"{plural(closes.crossed, 'connection')} got a FIN of the server, and a RST to what the client had sent before "
        "it got that FIN."
    )
    reason = "the RST has the number of a segment that does not acknowledge the FIN: they crossed"
    pieces = [Weighed(3.2 if closes.crossed >= SEVERAL else 1.6, text, frames, reason)]
    if closes.late > closes.crossed:
        text = f"{closes.late:,} others sent after they had the FIN."
        pieces.append(Weighed(-1.6, text, frames, "a client that does not notice a FIN is no race"))
    return pieces


def _equal(closes: EarlyCloses) -> list[Weighed]:
    if len(closes.quiet_s) < SEVERAL:
        return []
    spread_s, quiet_s = max(closes.quiet_s) - min(closes.quiet_s), statistics.median(closes.quiet_s)
    if spread_s > max(EQUAL_S, EQUAL_RATIO * quiet_s):
        return []
    text = f"The RSTs came {seconds_text(quiet_s)} (median) after the last answer, all within {seconds_text(spread_s)}."
    return [Weighed(0.8, text, frame_evidence(closes.frames), "a timer closed them, not a failure")]


def _default(closes: EarlyCloses) -> list[Weighed]:
    quiet_s = statistics.median(closes.quiet_s) if closes.quiet_s else 0.0
    for seconds, of in DEFAULTS.items():
        if abs(quiet_s - seconds) <= DEFAULT_RATIO * seconds:
            text = f"{seconds:g} s is a default: {of}."
            near = abs(quiet_s - seconds) <= SAME_RATIO * seconds
            return [
                Weighed(
                    1.0 if near else 0.3,
                    text,
                    frame_evidence(closes.frames),
                    "servers close idle connections then",
                )
            ]
    return []


def _rivals(closes: EarlyCloses) -> tuple[RivalPart, ...]:
    restart = RivalPart(
        cause="server-restart",
        title="The server was restarted",
        status="ruled-out" if _equal(closes) else "cannot-tell",
        because="the server closed in order, by FIN; a restart closes at any time, and all connections at once",
        command="systemctl show NAME -p ActiveEnterTimestamp; kubectl get pods -o wide",
    )
    return (restart,)


def _remedies(quiet_s: float) -> tuple[RemedyPart, ...]:
    longer = max(5, int(quiet_s * 0.8)) if quiet_s > 6 else max(1, int(quiet_s / 2))
    proof = "the client's FIN comes first; no RST follows a FIN of the server"
    return (
        RemedyPart(
            what="Let the server keep idle connections longer than its clients: proxies and load balancers included",
            command=None,
            applies_to="the server: Node.js server.keepAliveTimeout and headersTimeout, gunicorn --keep-alive, "
            "nginx keepalive_timeout",
            check="the idle time-out of the load balancer or proxy in front of it",
            proof=proof,
            undo="Restore the previous time-out",
            side_effect="more idle connections on the server",
            versions=None,
        ),
        RemedyPart(
            what=f"Or let the client close connections that were idle for {longer} s, before the server does",
            command=None,
            applies_to="connection pools and proxies (Envoy: idle_timeout of the cluster's HTTP protocol options)",
            check="the pool's settings",
            proof=proof,
            undo="Restore the previous time-out",
            side_effect="more new connections after quiet times",
            versions=None,
        ),
        RemedyPart(
            what="Retry idempotent requests that were reset before any byte of an answer",
            command=None,
            applies_to="clients and proxies (nginx proxy_next_upstream, Envoy retry_on: reset)",
            check="the retry policy",
            proof="no error reaches the caller",
            undo="Restore the previous policy",
            side_effect="a request that is not idempotent must not be sent twice",
            versions=None,
        ),
    )
