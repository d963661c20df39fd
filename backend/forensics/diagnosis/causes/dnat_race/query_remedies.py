"""How to keep two queries of one socket from colliding at a service address."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RemedyPart

PROOF = "capture port 53 for 60 s again: no query may be retried"


def list_query_remedies(facts: Facts) -> list[RemedyPart]:
    """Least effort first; the kernel's own fix last, since it needs a new boot."""
    options = "cat /etc/resolv.conf"
    return [
        RemedyPart(
            what="Send A and AAAA queries one after the other, each from its own socket: options single-request-reopen",
            command="kubectl patch deployment NAME --type merge -p "
            '\'{"spec":{"template":{"spec":{"dnsConfig":{"options":[{"name":"single-request-reopen"}]}}}}}\'',
            applies_to="pods with glibc; musl (Alpine) does not support the option",
            check=options,
            proof=PROOF,
            undo="the same without the option",
            side_effect="each lookup takes one more round trip; the pods restart",
            versions="glibc ≥ 2.9",
        ),
        RemedyPart(
            what="Run NodeLocal DNSCache: pods query a cache on their own node, without NAT",
            applies_to="Kubernetes",
            check="kubectl -n kube-system get daemonset node-local-dns",
            proof=PROOF,
            undo="delete the DaemonSet and give kubelet its previous cluster DNS address",
            side_effect="one more daemon on each node; while it restarts the node has no DNS",
            versions="Kubernetes ≥ 1.18, where it is stable",
        ),
        RemedyPart(
            what="Query over TCP: options use-vc",
            applies_to="pods with glibc",
            check=options,
            proof=PROOF,
            undo="the same without the option",
            side_effect="a connection for each lookup: one round trip more, and more work for the resolver",
        ),
        RemedyPart(
            what="Boot a kernel in which packets of one socket share an entry",
            command="uname -r",
            applies_to="nodes",
            check="uname -r",
            proof=PROOF,
            undo="Boot the previous kernel",
            side_effect="a restart of each node; A and AAAA sent to two different backends can still collide",
            versions="Linux ≥ 5.0, 4.19.29, 4.14.106 or 4.9.163; Ubuntu 4.15.0-56",
        ),
    ]
