"""Which connections of a capture carry keys and tokens, or may do so. Decided once, when it is decoded."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.captures import Capture, CredentialSigns
from backend.forensics.connections import NEVER
from backend.forensics.messages import HELD_CREDENTIALS, SENT_AUTHORIZATION, SENT_TOKEN
from backend.forensics.packets import TCP
from workers.decode.loop.credential_signs import METADATA_MASKS, METADATA_NETWORKS

Bools = NDArray[np.bool_]

_DNS_PORT: Final = 53
_SERVICE_PATHS: Final = (
    r"(?i)security-credentials|/latest/(?:meta-data|user-data|dynamic|api/token)|/computemetadata/"
    r"|/metadata/(?:identity|instance|attested)|/v[12]/credentials|://(?:169\.254\.|\[fd00:ec2:|metadata[.:/])"
)
"""Targets that only metadata services and what answers in their place have."""
_PATHS: Final = (
    _SERVICE_PATHS + r"|credentials|/token(?:s|$|[/?])|/identity(?:$|[/?])|oauth|/sts(?:$|[/?])|://sts[.-]"
    r"|/(?:login|signin|auth|session|secret)s?(?:$|[/?])"
    r"|[?&;](?:[^=&;]*(?:token|secret|passw|signature|credential|api_?key|assertion)[^=&;]*|sig|code|key)="
)
"""Targets whose request or answer may hold keys, passwords or tokens."""
_HOSTS: Final = (
    r"(?i)^(?:sts[.-]|metadata(?:$|[.:])|instance-data|login\.|accounts\.|auth\.|oauth|vault|secretsmanager\.)"
    r"|^169\.254\.(?:169|170)\.|^\[?fd00:ec2:|^\[?fd20:ce:|^100\.100\.100\.200"
)
_NUMBERS: Final = ("connection", "marks", "expiration_ns", "expires_in_s", "token_ttl_s")
_TEXTS: Final = ("path", "host", "location")


def find_credentials(capture: Capture, seen: Bools, loose_frames: int) -> CredentialSigns:
    """The connections on which credentials were sent or may have been. `seen`: of each connection, whether decoding
    saw words of credentials in it; `loose_frames`: frames of no connection that may hold some."""
    table = capture.connections
    found = seen | _at_metadata_services(table)
    service = np.zeros(len(table), np.bool_)
    for batch in capture.messages.http.batches([*_NUMBERS, *_TEXTS]):
        of = batch.column("connection").to_numpy().astype(np.int64)
        found[of[_holds(batch)]] = True
        service[of[_matches(batch.column("path"), _SERVICE_PATHS)]] = True
    found |= service
    if service.any():
        found |= _at_endpoints_of(table, service)
    if found.any():
        found |= _of_same_hosts_and_ports(table, found)
    return CredentialSigns(np.flatnonzero(found).astype(np.uint32), loose_frames)


def _holds(batch: pa.RecordBatch) -> Bools:
    """Of each exchange: whether its heads, its target or the beginning of a body show that it carries credentials."""
    marks = batch.column("marks").to_numpy()
    holds: Bools = (marks & (SENT_TOKEN | SENT_AUTHORIZATION | HELD_CREDENTIALS)) != 0
    for name in _NUMBERS[2:]:
        holds |= batch.column(name).to_numpy() != NEVER
    holds |= _matches(batch.column("path"), _PATHS) | _matches(batch.column("location"), _PATHS)
    return holds | _matches(batch.column("host"), _HOSTS)


def _matches(texts: pa.Array, pattern: str) -> Bools:
    """Each different text is looked at once: there are few, and rows are many."""
    import pyarrow.compute as pc  # functions that most captures need none of

    coded = texts.dictionary_encode()
    known = pc.match_substring_regex(coded.dictionary, pattern).to_numpy(zero_copy_only=False)
    rows: Bools = known.astype(np.bool_)[coded.indices.to_numpy()]
    return rows


def _at_metadata_services(table: NDArray[np.void]) -> Bools:
    """Which TCP connections with data have a metadata service at one end, whatever the port. DNS is none: resolvers
    of providers are in the same networks."""
    found = np.zeros(len(table), np.bool_)
    for end in ("client", "server"):
        for network, mask in zip(METADATA_NETWORKS, METADATA_MASKS, strict=True):
            same = (table[f"{end}_high"] & mask[0]) == network[0]
            found |= same & ((table[f"{end}_low"] & mask[1]) == network[1])
    is_dns = (table["server_port"] == _DNS_PORT) | (table["client_port"] == _DNS_PORT)
    found &= (table["protocol"] == TCP) & ~is_dns & (table["client_bytes"] + table["server_bytes"] > 0)
    return found


_ENDS: Final = ("high", "low", "port")


def _end(table: NDArray[np.void], end: str) -> NDArray[np.void]:
    made = np.zeros(len(table), [("high", "<u8"), ("low", "<u8"), ("port", "<u8")])
    for name in _ENDS:
        made[name] = table[f"{end}_{name}"]
    return made


def _at_endpoints_of(table: NDArray[np.void], service: Bools) -> Bools:
    """All connections with the endpoints that answered like metadata services: agents and proxies in their place."""
    endpoints = np.unique(_end(table[service], "server"))
    client, server = _end(table, "client"), _end(table, "server")
    found: Bools = (table["protocol"] == TCP) & (np.isin(client, endpoints) | np.isin(server, endpoints))
    return found


def _of_same_hosts_and_ports(table: NDArray[np.void], found: Bools) -> Bools:
    """What another vantage point, or an earlier or later incarnation, made of the same connection."""
    client, server = _end(table, "client"), _end(table, "server")
    both = np.zeros(len(table), [("first", client.dtype), ("second", client.dtype)])
    swapped = _is_behind(client, server)
    both["first"], both["second"] = np.where(swapped, server, client), np.where(swapped, client, server)
    flat = both.view(np.dtype((np.void, both.dtype.itemsize)))
    same: Bools = (table["protocol"] == TCP) & np.isin(flat, np.unique(flat[found]))
    return same


def _is_behind(a: NDArray[np.void], b: NDArray[np.void]) -> Bools:
    """Whether one end comes after the other, by address and port."""
    behind: Bools = a["port"] > b["port"]
    for name in ("low", "high"):
        behind = np.where(a[name] == b[name], behind, a[name] > b[name])
    return behind
