"""A gRPC server closes connections whose client sends keepalive pings too often: GOAWAY with too_many_pings.

grpc/doc/keepalive.md: a server expects 5 min between pings on a connection without data
(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, in Go keepalive.EnforcementPolicy.MinTime); after two pings
that come sooner it sends GOAWAY with ENHANCE_YOUR_CALM (RFC 9113 section 7, code 11) and closes. Calls that the server
did not process yet fail with UNAVAILABLE."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.kernel_signs import Line
from backend.forensics.findings import line_evidence, plural, seconds_text
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

CAUSE = "grpc-goaway"
TITLE = "gRPC server refuses keepalive pings (GOAWAY)"
COLLECT: Final = (
    MissingPart(
        what="The GOAWAY frames, where the connection is not encrypted or a key log exists",
        command="tshark -r out.pcap -Y 'http2.type == 7 or http2.type == 6' -T fields -e http2.goaway.error",
    ),
)
PERMITTED_S: Final = 300.0
"""Default of servers (grpc/doc/keepalive.md; grpc-go keepalive.EnforcementPolicy.MinTime)."""
LINES_MOST: Final = 50
_REFUSED = re.compile(
    r"GO_?AWAY.{0,300}(?:ENHANCE_YOUR_CALM|too_many_pings)|ENHANCE_YOUR_CALM.{0,300}GO_?AWAY"
    r"|\bgot too many pings from the client\b",
    re.IGNORECASE,
)
"""As clients quote the frame, and as grpc-go's server logs it (internal/transport/http2_server.go)."""
_INTERVAL = re.compile(r"keepalive time \(before throttling\): (\d{1,12})ms")

REFERENCES = (
    "grpc/doc/keepalive.md; grpc/proposal A8 client-side keepalive, A9 server-side connection management",
    "RFC 9113 sections 6.8 and 7: GOAWAY, ENHANCE_YOUR_CALM",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by a GOAWAY with another error code",
    rivals=(
        RivalPart(
            cause="max-connection-age",
            title="Connection age limit of the server",
            status="ruled-out",
            because="a server that ends old connections sends GOAWAY with NO_ERROR and max_age",
        ),
        RivalPart(
            cause="idle-timeout",
            title="Idle timeout on the path",
            status="ruled-out",
            because="a timeout on the path ends a connection without GOAWAY",
        ),
    ),
    remedies=(
        RemedyPart(
            what="Send keepalive pings less often than the server permits",
            applies_to="gRPC clients: GRPC_ARG_KEEPALIVE_TIME_MS, keepalive.ClientParameters.Time, keepAliveTime()",
            check="the client's keepalive time against the server's permitted interval (5 min by default)",
            proof="the log shows no further GOAWAY with too_many_pings",
            undo="Restore the previous interval",
            side_effect="a dead connection is noticed later",
        ),
        RemedyPart(
            what="Or let the server permit them",
            applies_to="gRPC servers: GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, "
            "keepalive.EnforcementPolicy{MinTime, PermitWithoutStream}, permitKeepAliveTime()",
            check="the server's permitted interval",
            proof="the log shows no further GOAWAY with too_many_pings",
            undo="Restore the previous interval",
            side_effect="pings of many clients are traffic without data",
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per host whose logs quote such a GOAWAY."""
    return [hypothesis for host in facts.listed_hosts.hosts for hypothesis in _of_host(host)]


def _of_host(host: HostSigns) -> Iterator[Hypothesis]:
    rows = [(text, line) for text, line in _texts(host) if _REFUSED.search(text)]
    if not rows:
        return
    intervals_s = [int(found[1]) / 1000 for text, _ in rows if (found := _INTERVAL.search(text)) is not None]
    lines = line_evidence(line for _, line in rows[:LINES_MOST])
    text = (
        f"{plural(len(rows), 'log line')} quote{'s' if len(rows) == 1 else ''} a GOAWAY with too_many_pings."
    )
    pieces = [Weighed(3.8, text, lines, "the server's own reason, which its GOAWAY frame carries")]
    every = ""
    if intervals_s:
        every = f" every {seconds_text(min(intervals_s))}"
        if min(intervals_s) < PERMITTED_S:
            text = f"The client's keepalive time is {seconds_text(min(intervals_s))}; servers permit 5 min by default."
            pieces.append(
                Weighed(0.6, text, lines, "more often than a server permits without other settings")
            )
    statement = (
        f"A gRPC server closed connections{on_host(host)}: keepalive pings{every} came too often for it."
    )
    missing = (
        MissingPart(
            what="The frames, where the connection is not encrypted or a key log exists",
            command="tshark -r out.pcap -Y 'http2.type == 7 or http2.type == 6' -T fields -e frame.time "
            "-e http2.goaway.error",
        ),
    )
    yield from_listings(_CAUSE, statement, pieces, missing=missing)


def _texts(host: HostSigns) -> Iterator[tuple[str, Line]]:
    for each in host.dumps:
        for message in each.dump.log_messages:
            yield message.text[:2_000], (each.input, message.line)
