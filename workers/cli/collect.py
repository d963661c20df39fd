"""`stallscope collect`: prints the collector, a script that a node runs."""

from __future__ import annotations

import argparse
import sys

from workers.cli.usage import WrongUsage, exit_code_of

NAME = "collect"
HELP = (
    "print a script that captures on a node: all vantage points of a path at the same time, and kernel dumps"
)
EPILOG = """\
examples:
  stallscope collect | ssh root@node-7 sh
  stallscope collect --symptom dns --pod 10.244.1.7 --duration 120 > collect.sh
  stallscope collect --format kubectl-debug > debug.sh && sh debug.sh node-7
  stallscope collect --format daemonset | kubectl apply -f -

The script needs root, iproute2, and tcpdump or dumpcap; it uses conntrack, ipvsadm, nft, … where installed.
It stops by itself, packs one bundle into the current folder, and prints the upload command."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options, as in the contract."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add("--format", choices=["script", "daemonset", "kubectl-debug"], default="script", help="what to print")
    add(
        "--symptom",
        choices=["connect", "dns", "clumps", "requests", "resets"],
        default="connect",
        help="the symptom: slow connects (default), DNS lookups, batched responses, requests; or broken connections",
    )
    add(
        "--proxy",
        choices=["iptables", "ipvs", "nftables", "unknown"],
        default="unknown",
        help="kube-proxy's mode",
    )
    add("--duration", type=int, default=60, metavar="S", help="seconds to capture for (60)")
    add("--size", type=int, default=200, metavar="MB", help="stop at this total file size (200)")
    add("--pod", default="", metavar="ADDRESS", help="also capture on the interface of this pod")
    add(
        "--interfaces",
        default="",
        metavar="NAMES",
        help="capture on these interfaces instead of the detected ones",
    )
    add(
        "--server",
        default="http://127.0.0.1:8000",
        metavar="URL",
        help="server for the upload command",
    )
    add(
        "--kernel-probe",
        action="store_true",
        help=("also run bpftrace: the process running when the kernel answered an echo request"),
    )


def run(arguments: argparse.Namespace) -> int:
    """Print it; 0, or 2 for a choice that is none."""
    return exit_code_of(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    from backend.errors import InvalidRequest
    from backend.services.collector import Choices, collector
    from workers.cli.exit_codes import EXIT_DONE

    choices = Choices(
        symptom=arguments.symptom,
        proxy=arguments.proxy,
        duration_s=arguments.duration,
        size_mb=arguments.size,
        pod_ip=arguments.pod,
        interfaces=arguments.interfaces,
        kernel_probe=arguments.kernel_probe,
        server=arguments.server,
    )
    try:
        sys.stdout.write(collector(choices, arguments.format))
    except InvalidRequest as wrong:
        raise WrongUsage(str(wrong)) from wrong
    return EXIT_DONE
