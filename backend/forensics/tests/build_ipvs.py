"""Builds listings of an IPVS service and the path through it, so that a test can say who was drained when."""

from __future__ import annotations

from backend.forensics.dumps import CapturedAtBasis, Dump, RealServer, VirtualService
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import Hop

SERVICE = "10.96.0.100:80"
POD, OTHER = "10.244.1.12:8080", "10.244.1.11:8080"


def through(number: int, pod: str = POD) -> list[Hop]:
    """IPVS rewrites the destination and keeps the client's address and port."""
    client = f"10.58.14.13:{20_000 + number}"
    return [Hop("vip", 0, client, SERVICE), Hop("cni0", 30_000, client, pod)]


def listing(
    at_ns: int | None,
    weights: dict[str, int],
    held: int = 60,
    *,
    persistent_s: int | None = None,
    input_name: str = "ipvsadm.txt",
) -> DumpInput:
    """`ipvsadm -Ln` at a time: real servers with their weights, each with `held` closed connections."""
    servers = []
    for line, (server, weight) in enumerate(sorted(weights.items()), start=5):
        address, _, port = server.rpartition(":")
        servers.append(RealServer(line, address, int(port), "Masq", weight, 0, held))
    service = VirtualService(
        4, "TCP", "10.96.0.100", 80, "rr", persistent_s=persistent_s, real_servers=tuple(servers)
    )
    basis: CapturedAtBasis = "unknown" if at_ns is None else "text"
    return DumpInput(input_name, None, Dump("ipvs-services", 8, (), at_ns, basis, services=(service,)))
