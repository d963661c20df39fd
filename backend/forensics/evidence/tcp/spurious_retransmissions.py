"""Retransmissions of data whose first copy had arrived: nothing was lost, the acknowledgement was late.

The acknowledgement shows: it echoes the timestamp of the first copy (Eifel, RFC 3522), or it was there before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.tcp.tcp_anomalies import TcpAnomalies
from backend.forensics.packets import MARK_SPURIOUS_RETRANSMISSION
from backend.forensics.signals import FIRST_COPY, SENT_AGAIN

_HALF = np.uint32(1 << 31)


def spurious(anomalies: TcpAnomalies) -> NDArray[np.bool_]:
    """Of each row of `TcpAnomalies.rows` whether it is such a retransmission. One sort of the rows."""
    rows = anomalies.rows
    again = (rows["kind"] & SENT_AGAIN) != 0
    found: NDArray[np.bool_] = again & ((rows["marks"] & MARK_SPURIOUS_RETRANSMISSION) != 0)
    answers = np.flatnonzero((rows["kind"] & FIRST_COPY) != 0)
    if not len(answers):
        return found
    # Rows are sorted by connection and time: so are the numbers of both, within each direction.
    direction = 2 * anomalies.node + (rows["from_client"] != 0)
    number = direction * len(rows) + np.arange(len(rows))
    answered = (direction[answers] ^ 1) * len(rows) + answers
    order = np.argsort(answered)
    waiting = np.flatnonzero(again)
    at = np.searchsorted(answered[order], number[waiting])
    answer = answers[order][np.minimum(at, len(answers) - 1)]
    same = (at < len(answers)) & ((direction[answer] ^ 1) == direction[waiting])
    end = rows["sequence"][waiting] + rows["payload_bytes"][waiting]
    found[waiting] |= same & ((rows["acknowledgement"][answer] - end) < _HALF)
    return found
