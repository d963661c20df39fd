"""What to change, as a choice: fast connects against stuck backends, or a kernel that needs no choice."""

from __future__ import annotations

from backend.forensics.diagnosis.ipvs_remedies import list_mode_choice
from backend.forensics.diagnosis.ipvs_settings import IpvsSettings, read_settings
from backend.forensics.diagnosis.shared_remedies import keep_connections_open
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RemedyPart

PROOF = "capture 60 s again: connections on reused 5-tuples must open as fast as others"
LINUX_PORTS = "32768 60999"
"""inet_init_net() of net/ipv4/af_inet.c, where no dump shows what the node has."""
MODE = "net.ipv4.vs.conn_reuse_mode"


def list_remedies(facts: Facts) -> list[RemedyPart]:
    """The kernel first, then the setting with its price, then what spares ports."""
    settings = read_settings(facts.node)
    keep = keep_connections_open(check="ipvsadm -Ln --rate", proof=PROOF, shorter_than="that of IPVS (900 s)")
    return [
        _kernel(settings),
        _mode(settings),
        _ports(settings),
        keep,
        _leave(),
    ]


def _kernel(settings: IpvsSettings) -> RemedyPart:
    known = f"you have {settings.kernel[0]}" if settings.kernel else "unknown; run uname -r"
    carried = (
        " by its number it carries the fix: the module or its vendor differs" if settings.kernel_fixed else ""
    )
    return RemedyPart(
        what="Run a kernel in which IPVS reschedules such a SYN immediately",
        applies_to="node",
        check="uname -r; modinfo ip_vs | head -3",
        proof=PROOF,
        undo="Boot the previous kernel",
        side_effect="none known; kube-proxy then does not change conn_reuse_mode",
        versions=f"Linux ≥ 5.9, stable ≥ 4.19.140 and ≥ 5.8.2 ({known};{carried})" if carried
        else f"Linux ≥ 5.9, stable ≥ 4.19.140 and ≥ 5.8.2 ({known})",
    )  # fmt: skip


def _mode(settings: IpvsSettings) -> RemedyPart:
    now = settings.reuse_mode[0] if settings.reuse_mode else 1
    nodest = "" if settings.expire_nodest and settings.expire_nodest[0] == 1 else (
        "; without expire_nodest_conn = 1 a removed one keeps receiving them"
    )  # fmt: skip
    return RemedyPart(
        what="Trade-off: with mode 0 reused ports connect fast, but keep their previous real server",
        command=f"sysctl -w {MODE}=0",
        applies_to="node",
        check=f"sysctl {MODE} net.ipv4.vs.conntrack net.ipv4.vs.expire_nodest_conn",
        proof=PROOF,
        undo=f"sysctl -w {MODE}={now}",
        side_effect=(
            f"a real server with weight 0 keeps receiving new connections on reused ports{nodest} "
            "(Kubernetes issue 81775; fixed by commit c95c07836fa4); kube-proxy sets the value again when it starts"
        ),
        versions="kube-proxy sets 0 on kernels below 5.9 and does not change it from 5.9 on",
        choice=list_mode_choice(),
    )


def _ports(settings: IpvsSettings) -> RemedyPart:
    now = " ".join(settings.port_range[0].split()) if settings.port_range else LINUX_PORTS
    return RemedyPart(
        what="Give the clients more ports or addresses, so that none is reused within 120 s",
        command='sysctl -w net.ipv4.ip_local_port_range="1024 65535"',
        applies_to="clients",
        check="sysctl net.ipv4.ip_local_port_range",
        proof=PROOF,
        undo=f'sysctl -w net.ipv4.ip_local_port_range="{now}"',
        side_effect="ports of services above 1024 may be taken by clients: reserve them in ip_local_reserved_ports",
    )


def _leave() -> RemedyPart:
    return RemedyPart(
        what="Replace IPVS: kube-proxy with `mode: nftables` keeps no table of its own",
        command="kubectl -n kube-system edit configmap kube-proxy && "
        "kubectl -n kube-system rollout restart daemonset kube-proxy",
        applies_to="kube-proxy",
        check="kubectl -n kube-system get configmap kube-proxy -o yaml | grep mode:",
        proof=PROOF,
        undo="the same with mode: ipvs",
        side_effect="open connections break during the change; other load-balancing schedulers are gone",
        versions="nftables mode is stable from Kubernetes 1.33; IPVS mode is deprecated from 1.35",
    )
