"""Positive. Pooled connections idle for six minutes are reset when used again; those idle for five are not.

AWS' NAT gateway forgets after 350 s and answers later packets with RST.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.packets import ACK, RST
from backend.forensics.signals import AFTER_SILENCE, REPLY
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 4)


def build() -> Facts:
    capture = StumbleBuilder()
    for number, silence_s in enumerate((300, 310, 320, 360, 370, 380, 500)):
        connection, at_ns = capture.connection(), (1_000 + number) * S
        sent = {"silence_ns": silence_s * S, "payload_bytes": 200, "from_client": 1}
        capture.signal(connection, at_ns, AFTER_SILENCE, **sent)
        flags = RST if silence_s >= 350 else ACK
        capture.signal(connection, at_ns + 20 * MS, REPLY, tcp_flags=flags)
    return gather_facts([capture.build()], [])
