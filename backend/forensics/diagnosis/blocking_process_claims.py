"""Who held up a queue, as listings of the host's programs show: weighed evidence for the causes of stalls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from backend.forensics.cases.rtt_backlog import RttBacklog, Stall
from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.blocking_processes import (
    BlockingProcess,
    StallSpan,
    find_blocking_processes,
)
from backend.forensics.findings import line_evidence
from backend.forensics.round_trips import ECHO, PRINTED

SHOWN = 3
"""Blocking processes that are shown: who comes after them was there less often."""
WHO = (
    'bpftrace -e \'BEGIN { printf("TGID PID PROCESS ICMP_SEQ\\n") } kprobe:icmp_echo { $h = (struct icmphdr *)'
    "(((struct sk_buff *)arg0)->head + ((struct sk_buff *)arg0)->transport_header); "
    'printf("%d %d %s %d\\n", pid, tid, comm, bswap($h->un.echo.sequence)); }\''
)
"""The command that makes such a listing: who ran when each echo was taken."""


def who_ran(facts: Facts, case: RttBacklog) -> tuple[BlockingProcess, ...]:
    """Processes that were there at the ends of a case's stalls so often that chance is no explanation."""
    blocking_processes = find_blocking_processes(stall_spans(facts, case), facts.kernel.dumps)
    return tuple(blocking for blocking in blocking_processes if blocking.sure)[:SHOWN]


def blocking_process_claims(blocking_processes: Sequence[BlockingProcess]) -> list[Weighed]:
    """One claim for each blocking process; the first weighs."""
    return [
        Weighed(
            2.5 if number == 0 else 0.5,
            blocking.statement,
            line_evidence(
                [(blocking.input, line) for line in blocking.lines], f"{blocking.process} at a drain"
            ),
            "a source other than the packets shows one process at the end of the stalls, more often than by chance",
        )
        for number, blocking in enumerate(blocking_processes)
    ]


def stall_spans(facts: Facts, case: RttBacklog) -> list[StallSpan]:
    """Its stalls, on the clock of the host that stood still where that is known."""
    at_responder = case.direction != "reply path"
    shift_ns = round((case.clock_offset_s or 0.0) * 1e9) if at_responder else 0
    spans = [_span(facts, stall, shift_ns) for stall in case.stalls]
    return [span for span in spans if span is not None]


def _span(facts: Facts, stall: Stall, shift_ns: int) -> StallSpan | None:
    """By the frames or lines of its held questions. Echoes of packets are surer than those of a listing."""
    trips = facts.round_trips
    inputs = [number for number, source in enumerate(trips.sources) if source.input == stall.input]
    held = trips.rows[np.isin(trips.capture, inputs) & np.isin(trips.rows["sent_frame"], stall.sent_numbers)]
    if not len(held):
        return None
    kinds = held["kind"]
    echoes = held["sequence"][kinds == (ECHO if (kinds == ECHO).any() else PRINTED)].astype(np.int64) & 0xFFFF
    answered_ns = held["sent_ns"] + held["rtt_ns"]
    return StallSpan(
        int(held["sent_ns"].min()) + shift_ns,
        int(answered_ns.max()) + shift_ns,
        tuple(echoes.tolist()),
        stall.timed,
    )
