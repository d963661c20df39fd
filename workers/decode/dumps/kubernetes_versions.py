"""`kubectl version`, `kubectl get nodes` (with `-o wide`) and `kube-proxy --version`: which Kubernetes and kernels run.

Client Version: v1.29.3
Server Version: v1.29.1-eks-508b6b3
Kubernetes v1.29.3
NAME     STATUS   ROLES    AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION   ...
node-7   Ready    <none>   12d   v1.29.3   10.0.0.7      <none>        Ubuntu 22.04.4 LTS   5.15.0-101       ...
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import ClusterNode, ComponentVersion, Dump
from workers.decode.dumps.fields import canonical_address, numbered
from workers.decode.dumps.formats import share_owned

KIND = "kubernetes-versions"

# Others print `Client Version:`, too (calicoctl v3.27.0): no Kubernetes has another first number than 1.
_VERSION = r"(?P<version>v1\.\d{1,3}\.\d{1,4}(?:[-+][\w.+-]{1,64})?)"
_SAID = re.compile(rf"(?P<who>Client Version: |Server Version: |Kubernetes ){_VERSION}\s*$")
_SAID_AT_LENGTH = re.compile(
    rf'(?P<who>Client Version: |Server Version: )version\.Info\{{.{{0,200}}?GitVersion:"{_VERSION}"'
)
_BESIDE = re.compile(r"Kustomize Version: v\d")
_HEADER = re.compile(r"NAME\s{1,64}STATUS\s{1,64}(?:ROLES\s{1,64})?AGE(?:\s{1,64}VERSION(?:\s|$)|\s*$)")
_GAP = " {1,300}"  # a column is as wide as its longest cell, and a name may have 253 characters
_NODE = re.compile(
    rf"(?P<name>[a-z0-9][a-z0-9.-]{{0,252}}){_GAP}"
    rf"(?P<status>(?:Ready|NotReady|Unknown)(?:,\w{{1,40}})*){_GAP}\S{{1,255}}{_GAP}"
    rf"(?:\d{{1,6}}[smhdy]){{1,3}}{_GAP}{_VERSION}(?= |$)(?P<wide>.*)$"
)
_WIDE = re.compile(
    rf"{_GAP}(?P<address>\S{{1,64}}){_GAP}\S{{1,64}}{_GAP}(?P<image>\S.{{0,120}}?){_GAP}"
    rf"(?P<kernel>\d{{1,3}}\.\d\S{{0,128}}){_GAP}(?P<runtime>[\w.+-]{{1,32}}://\S{{1,64}})(?:{_GAP}\S{{1,2000}})? *$"
)
_OLD_NODE = re.compile(
    rf"(?P<name>[a-z0-9][a-z0-9.-]{{0,252}}){_GAP}(?P<status>(?:Ready|NotReady|Unknown)(?:,\w{{1,40}})*){_GAP}"
    rf"(?:\d{{1,6}}[smhdy]){{1,3}}(?:{_GAP}{_VERSION})? *$"
)
"""Before Kubernetes 1.8: without roles, and before 1.6 without version."""
_COMPONENTS = {"Client Version: ": "kubectl", "Server Version: ": "API server", "Kubernetes ": "node"}


def recognise(head: Sequence[str]) -> float:
    """The share of lines that name a version of Kubernetes or a node."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A version that a program says, a row of nodes, or the header above them."""
    known = _said(line) or _NODE.match(line) or _OLD_NODE.match(line)
    return bool(known or _HEADER.match(line) or _BESIDE.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """A header, and the client's version, begin a listing."""
    return bool(previous) and bool(_HEADER.match(line) or line.startswith("Client Version: "))


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Every version and every node."""
    versions: list[ComponentVersion] = []
    nodes: list[ClusterNode] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        said, row, old = _said(line), _NODE.match(line), _OLD_NODE.match(line)
        if said is not None:
            versions.append(ComponentVersion(number, _COMPONENTS[said["who"]], said["version"]))
        elif row is not None:
            nodes.append(_node(number, row))
        elif old is not None:
            nodes.append(ClusterNode(number, old["name"], old["status"], old["version"] or ""))
        elif not _HEADER.match(line) and not _BESIDE.match(line):
            not_understood.append(number)
    return Dump(
        KIND,
        len(lines),
        tuple(not_understood),
        component_versions=tuple(versions),
        cluster_nodes=tuple(nodes),
    )


def _said(line: str) -> re.Match[str] | None:
    return _SAID.match(line) or _SAID_AT_LENGTH.match(line)


def _node(number: int, row: re.Match[str]) -> ClusterNode:
    node = ClusterNode(number, row["name"], row["status"], row["version"])
    wide = _WIDE.match(row["wide"])
    if wide is None:
        return node
    address = canonical_address(wide["address"]) or ""
    shown = address, wide["image"], wide["kernel"], wide["runtime"]
    return ClusterNode(node.line, node.name, node.status, node.version, *shown)
