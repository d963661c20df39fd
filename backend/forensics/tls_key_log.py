"""Labels of TLS key logs (SSLKEYLOGFILE, draft-ietf-tls-keylogfile)."""

from __future__ import annotations

from typing import Final

KIND: Final = "tls-key-log"
"""As in ``Dump.kind`` and, joined with others by ``+``, in the format of an evidence file."""
LABELS: Final = (
    r"(?:CLIENT_RANDOM|(?:QUIC_)?(?:CLIENT|SERVER)_(?:HANDSHAKE_TRAFFIC_SECRET|TRAFFIC_SECRET_\d)"
    r"|(?:CLIENT_)?EARLY_(?:TRAFFIC|EXPORTER)_SECRET|EXPORTER_SECRET)"
)
"""A regular expression of those that a client random (32 bytes) follows."""


def is_key_log(format_name: str) -> bool:
    """Whether a file of this format holds a TLS key log."""
    return KIND in format_name.split("+")
