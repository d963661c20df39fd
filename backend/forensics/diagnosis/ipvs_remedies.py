"""What to do about real servers that are drained and still receive connections; two causes share it."""

from __future__ import annotations

from backend.forensics.diagnosis.ipvs_settings import IpvsSettings
from backend.forensics.evidence.nat.ipvs_servers import DrainedServer
from backend.forensics.report import ChoicePart, RemedyPart

NODEST = "net.ipv4.vs.expire_nodest_conn"
MODE = "net.ipv4.vs.conn_reuse_mode"
PROOF = "watch ipvsadm -Ln while it drains: ActiveConn + InActConn must fall to 0"

REFERENCES = (
    "Kubernetes issues 81775 and 99162: connections to terminating pods in IPVS mode",
    "commit c95c07836fa4 (November 2021): reuse of a connection whose real server has weight 0",
    "Documentation/networking/ipvs-sysctl.rst: conn_reuse_mode, expire_nodest_conn",
)


def list_drain_remedies(drained: DrainedServer, settings: IpvsSettings) -> tuple[RemedyPart, ...]:
    """The kernel, the server's removal, the settings as a choice, and what spares ports."""
    return _kernel(settings), _delete(drained), _nodest(settings), _mode(settings), _wait()


def _kernel(settings: IpvsSettings) -> RemedyPart:
    known = f"you have {settings.kernel[0]}" if settings.kernel else "yours is unknown; run uname -r"
    return RemedyPart(
        what="Run a kernel that expires entries of real servers with weight 0",
        applies_to="node",
        check="uname -r; modinfo ip_vs | head -3",
        proof=PROOF,
        undo="Boot the previous kernel",
        side_effect="none known for this",
        versions=f"commit c95c07836fa4 of November 2021, backported to several stable series ({known})",
    )


def _delete(drained: DrainedServer) -> RemedyPart:
    service, server = drained.service, drained.server
    return RemedyPart(
        what="Remove the server from the service once its grace time is over",
        command=f"ipvsadm -d -t {service} -r {server}",
        applies_to="node",
        check=f"ipvsadm -Ln -t {service}",
        proof=f"ipvsadm -Lnc | grep {server} must end",
        undo=f"ipvsadm -a -t {service} -r {server} -m -w 1",
        side_effect=f"without {NODEST} = 1 its old entries keep dropping packets until they expire",
    )


def _nodest(settings: IpvsSettings) -> RemedyPart:
    now = settings.expire_nodest[0] if settings.expire_nodest else "its previous value"
    return RemedyPart(
        what="Expire the entries of a removed real server",
        command=f"sysctl -w {NODEST}=1",
        applies_to="node",
        check=f"sysctl {NODEST}",
        proof="capture 60 s again while a server is removed: at most one SYN per used port may be lost",
        undo=f"sysctl -w {NODEST}={now}",
        side_effect="open connections to a removed server are cut immediately",
        versions="kube-proxy sets 1 when it starts",
    )


def _mode(settings: IpvsSettings) -> RemedyPart:
    now = settings.reuse_mode[0] if settings.reuse_mode else "its previous value"
    return RemedyPart(
        what="Trade-off: with mode 1 a reused port is rescheduled, away from the drained server",
        command=f"sysctl -w {MODE}=1",
        applies_to="node",
        check=f"sysctl {MODE} net.ipv4.vs.conntrack",
        proof=PROOF,
        undo=f"sysctl -w {MODE}={now}",
        side_effect=(
            "on kernels without commit f0a5e4d7a594 (Linux 5.9; stable 4.19.140 and 5.8.2) each connection "
            "on a reused port waits 1 s"
        ),
        versions="kube-proxy sets 0 on kernels below 5.9 when it starts",
        choice=list_mode_choice(),
    )


def list_mode_choice() -> list[ChoicePart]:
    """What conn_reuse_mode trades on kernels with neither fix (see REFERENCES)."""
    return [
        ChoicePart(
            setting=f"{MODE} = 0",
            gains="a connection on a reused port opens immediately, with the previous real server",
            costs="a drained server (weight 0) keeps receiving new connections as long as clients reuse ports",
        ),
        ChoicePart(
            setting=f"{MODE} = 1",
            gains="a connection on a reused port is rescheduled, away from a drained server",
            costs="its first SYN is dropped, so that it opens after 1 s (before Linux 5.9, 4.19.140 and 5.8.2)",
        ),
    ]


def _wait() -> RemedyPart:
    return RemedyPart(
        what="Keep a terminating pod serving until its entries have expired (workaround)",
        command="preStop: sleep 130; terminationGracePeriodSeconds: 150",
        applies_to="workload",
        check="kubectl get pod -o yaml | grep -A3 preStop",
        proof="no connection is refused or unanswered while pods are replaced",
        undo="remove the preStop hook",
        side_effect="every rollout takes two more minutes per pod; IPVS keeps a closed connection for 120 s",
    )
