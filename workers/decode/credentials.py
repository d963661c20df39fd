"""Where keys and tokens pass in clear text: which connections of a capture carry them."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from backend.forensics.addresses import address_halves
from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.metadata_calls import ADDRESSES
from backend.forensics.messages import SENT_AUTHORIZATION, SENT_TOKEN

_PATHS = r"(?i)security-credentials/.|/credentials|/api/token$|/(?:token|identity)(?:\?|$)|oauth2/token"
"""Targets of which an answer may be keys or a token (`messages.credentials_body` looks at the same)."""
_READ = (
    "connection",
    "marks",
    "expiration_ns",
    "expires_in_s",
    "token_ttl_s",
    "status",
    "response_bytes",
    "path",
)


def credential_connections(capture: Capture) -> frozenset[int]:
    """Rows of the connection table on which credentials were sent or may have been.

    Certain are answers with an expiry, metadata tokens and Authorization headers; an answer cut by the snap length, or
    one from a metadata address of which the request was not seen, may hold the beginning of a key and counts, too."""
    found: set[int] = set()
    metadata = _metadata_servers(capture)
    for batch in capture.messages.http.batches(_READ):
        column = {name: batch.column(name).to_numpy() for name in _READ[:-1]}
        holds = (column["marks"] & (SENT_TOKEN | SENT_AUTHORIZATION)) != 0
        for name in ("expiration_ns", "expires_in_s", "token_ttl_s"):
            holds |= column[name] != NEVER
        asks = pc.match_substring_regex(batch.column("path"), _PATHS).to_numpy(zero_copy_only=False)
        has_answer = (column["status"] == 200) & (column["response_bytes"] > 0)
        unknown = pc.equal(batch.column("path"), "").to_numpy(zero_copy_only=False)
        holds |= has_answer & asks.astype(np.bool_)
        holds |= has_answer & unknown.astype(np.bool_) & metadata[column["connection"].astype(np.int64)]
        found.update(np.unique(column["connection"][holds]).tolist())
    return frozenset(found)


def _metadata_servers(capture: Capture) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Of each connection: whether either end is a metadata service."""
    table = capture.connections
    found = np.zeros(len(table), np.bool_)
    for text in ADDRESSES:
        high, low = address_halves(text)
        for end in ("client", "server"):
            found |= (table[f"{end}_high"] == np.uint64(high)) & (table[f"{end}_low"] == np.uint64(low))
    return found
