"""Writes the collector for a symptom, a place and a cluster."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from backend.errors import InvalidRequest

Symptom = Literal["connect", "dns", "clumps", "requests", "resets"]
Proxy = Literal["iptables", "ipvs", "nftables", "unknown"]
Form = Literal["script", "daemonset", "kubectl-debug"]
FORMS: tuple[Form, ...] = get_args(Form)
IMAGE = "nicolaka/netshoot:v0.13"
"""Holds tcpdump, conntrack, ipvsadm, nftables and iproute2."""
_SCRIPT = Path(__file__).with_name("collect.sh")
_HEADERS = 96
"""Bytes a packet: headers with all options, and the first few bytes of payload."""
_MESSAGES = 512
"""Bytes a packet: request lines and lookups too. Metadata answers hold credentials behind them."""
_FILTERS: dict[Symptom, tuple[str, int]] = {
    "connect": ("tcp or icmp or icmp6", _HEADERS),
    "dns": ("port 53 or icmp or icmp6", _MESSAGES),
    "clumps": ("tcp or icmp or icmp6 or port 53", _HEADERS),
    "requests": ("tcp or port 53 or icmp or icmp6", _MESSAGES),
    "resets": ("tcp or icmp or icmp6", _HEADERS),
}
"""Symptom -> (capture filter, bytes of each packet)."""


@dataclass(frozen=True)
class Choices:
    """What hurts, where, and for how long it is watched."""

    symptom: Symptom = "connect"
    proxy: Proxy = "unknown"
    duration_s: int = 60
    size_mb: int = 200
    pod_ip: str = ""
    interfaces: str = ""
    """Names with blanks between; empty lets the script find them."""
    kernel_probe: bool = False
    server: str = "http://127.0.0.1:8000"


def collector(choices: Choices, form: Form = "script") -> str:
    """The text to run or to apply; raises InvalidRequest for a choice that is none."""
    _check(choices)
    capture_filter, snap_bytes = _FILTERS[choices.symptom]
    values = {
        "DURATION_S": str(choices.duration_s),
        "SIZE_MB": str(choices.size_mb),
        "SNAP_BYTES": str(snap_bytes),
        "EVERY_S": "5",
        "PROXY": choices.proxy,
        "POD_IP": choices.pod_ip,
        "INTERFACES": choices.interfaces,
        "FILTER": capture_filter,
        "KERNEL_PROBE": "yes" if choices.kernel_probe else "no",
        "SERVER": choices.server,
    }
    lines = "\n".join(f': "${{{name}:={value}}}"' for name, value in values.items())
    script = _SCRIPT.read_text(encoding="utf-8").replace("#CHOICES#", lines)
    if form == "script":
        return script
    return _debug(script) if form == "kubectl-debug" else _daemonset(script)


def _check(choices: Choices) -> None:
    if not 1 <= choices.duration_s <= 24 * 3600:
        raise InvalidRequest("A collector runs between 1 s and 24 h.")
    if not 1 <= choices.size_mb <= 100_000:
        raise InvalidRequest("A collector keeps between 1 MB and 100,000 MB.")
    # These land between quotes of a shell script, so only what such names are made of may pass.
    for name, text, allowed in (
        ("address", choices.pod_ip, r"[0-9a-fA-F.:]{0,45}"),
        ("list of interfaces", choices.interfaces, r"[\w.@: -]{0,300}"),
        ("address of a server", choices.server, r"https?://[\w.:\[\]/-]{1,200}"),
    ):
        if not re.fullmatch(allowed, text, re.ASCII):
            raise InvalidRequest(f"`{text}` is no {name}.")


def _debug(script: str) -> str:
    """For a machine with kubectl: a debug container on the node runs the script, the bundle stays on the node."""
    return f"""#!/bin/sh
# Runs the Stallscope collector on a node, in a debug container with the node's network. Usage: sh debug.sh NODE
set -u
node=${{1:?name the node, as kubectl get nodes lists it}}
kubectl debug "node/$node" -i --profile=sysadmin --image={IMAGE} -- sh -c 'cd /host/var/tmp && sh -s' <<'STALLSCOPE'
{script}STALLSCOPE
echo "The bundle is in /var/tmp of $node."
"""


def _daemonset(script: str) -> str:
    """For all nodes at once: a ConfigMap with the script, and a DaemonSet that runs it once."""
    indented = "".join(f"    {line}\n" if line else "\n" for line in script.splitlines())
    return f"""apiVersion: v1
kind: ConfigMap
metadata:
  name: stallscope-collect
  namespace: kube-system
data:
  collect.sh: |
{indented}---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: stallscope-collect
  namespace: kube-system
spec:
  selector:
    matchLabels: {{app: stallscope-collect}}
  template:
    metadata:
      labels: {{app: stallscope-collect}}
    spec:
      hostNetwork: true
      hostPID: true
      tolerations: [{{operator: Exists}}]
      containers:
        - name: collect
          image: {IMAGE}
          # It ends once; the bundle stays in /var/tmp of each node until the DaemonSet is deleted.
          command: ["sh", "-c", {shlex.quote("cd /out && sh /script/collect.sh; sleep infinity")}]
          securityContext: {{privileged: true}}
          volumeMounts:
            - {{name: script, mountPath: /script}}
            - {{name: out, mountPath: /out}}
      volumes:
        - name: script
          configMap: {{name: stallscope-collect}}
        - name: out
          hostPath: {{path: /var/tmp}}
"""
