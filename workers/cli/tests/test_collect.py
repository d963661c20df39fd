"""The collector, run for real on a node made of network namespaces; its bundle is analysed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
import yaml

from backend.errors import InvalidRequest
from backend.services.collector import FORMS, Choices, collector

SYMPTOMS = ("connect", "dns", "clumps", "requests", "resets")
SERVER, POD = "10.77.2.2", "10.77.1.2"
FULL = """
import socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("10.77.2.2", 8080)); s.listen(0)
print("listening", flush=True)
time.sleep(600)
"""
KNOWN = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('10.77.2.2', 9))"
CLIENTS = """
import socket, time
held = []
for _ in range(6):
    s = socket.socket(); s.setblocking(False); s.connect_ex(("10.77.2.2", 8080)); held.append(s); time.sleep(0.05)
time.sleep(600)
"""


@pytest.mark.parametrize("symptom", SYMPTOMS)
@pytest.mark.parametrize("form", ["script", "kubectl-debug"])
def test_it_is_a_shell_script_that_the_checker_finds_nothing_in(symptom: str, form: str) -> None:
    text = collector(Choices(symptom=symptom, proxy="ipvs", kernel_probe=True), form)  # type: ignore[arg-type]
    assert subprocess.run(["sh", "-n"], input=text, text=True, check=False).returncode == 0
    if shutil.which("shellcheck"):
        checked = subprocess.run(["shellcheck", "-"], input=text, text=True, capture_output=True, check=False)
        assert checked.returncode == 0, checked.stdout


def test_the_manifest_holds_the_script() -> None:
    config, daemons = yaml.safe_load_all(collector(Choices(duration_s=77), "daemonset"))
    assert config["data"]["collect.sh"] == collector(Choices(duration_s=77))
    pod = daemons["spec"]["template"]["spec"]
    assert pod["hostNetwork"] is True
    assert pod["volumes"][0]["configMap"]["name"] == config["metadata"]["name"]


def test_every_form_captures_all_points_and_counts_before_and_after() -> None:
    for form in FORMS:
        text = collector(Choices(), form)
        assert "tcpdump" in text
        assert text.count("list_counters") == 4
        assert "FILTER:=tcp or icmp or icmp6" in text


@pytest.mark.parametrize(
    "wrong",
    [
        Choices(pod_ip='1.2.3.4"; reboot; "'),
        Choices(interfaces="eth0; reboot"),
        Choices(interfaces="$(reboot)"),
        Choices(server="http://x/$(reboot)"),
        Choices(server="ftp://x"),
        Choices(duration_s=0),
        Choices(duration_s=86_401),
        Choices(size_mb=0),
    ],
)
def test_nothing_but_names_and_numbers_gets_into_it(wrong: Choices) -> None:
    with pytest.raises(InvalidRequest):
        collector(wrong)


@dataclass(frozen=True)
class Node:
    """A pod behind a bridge, the node that routes, and a server."""

    pod: str
    node: str
    server: str

    def start(self, where: str, *command: str, **more: object) -> subprocess.Popen[str]:
        """A program within one of the three."""
        return subprocess.Popen(["ip", "netns", "exec", where, *command], text=True, **more)  # type: ignore[call-overload,no-any-return]


def _ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True, capture_output=True)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    mark = uuid4().hex[:6]
    made = Node(*(f"sc-{name}-{mark}" for name in ("pod", "node", "server")))
    if os.geteuid() or not (shutil.which("tcpdump") or shutil.which("dumpcap")):
        pytest.skip("network namespaces and captures need root, iproute2, and tcpdump or dumpcap")
    names = (made.pod, made.node, made.server)
    try:
        for name in names:
            _ip(f"netns add {name}")
            _ip(f"-n {name} link set lo up")
        _ip(f"-n {made.node} link add cni0 type bridge")
        _ip(f"-n {made.node} link add veth7 type veth peer name eth0 netns {made.pod}")
        _ip(f"-n {made.node} link add uplink type veth peer name eth0 netns {made.server}")
        _ip(f"-n {made.node} link set veth7 master cni0")
        for name, device, address in (
            (made.node, "cni0", "10.77.1.1/24"),
            (made.node, "uplink", "10.77.2.1/24"),
            (made.pod, "eth0", f"{POD}/24"),
            (made.server, "eth0", f"{SERVER}/24"),
        ):
            _ip(f"-n {name} address add {address} dev {device}")
            _ip(f"-n {name} link set {device} up")
        _ip(f"-n {made.node} link set veth7 up")
        _ip(f"-n {made.pod} route add default via 10.77.1.1")
        _ip(f"-n {made.server} route add default via 10.77.2.1")
        _ip(f"-n {made.node} route add default via {SERVER}")
        forward = ("sysctl", "-qw", "net.ipv4.ip_forward=1")
        made.start(made.node, *forward).wait()
        yield made
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this machine makes no network namespaces: {error}")
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def _collected(node: Node, folder: Path) -> Path:
    """The bundle of a collector that watched a server with a full accept queue."""
    server = node.start(node.server, sys.executable, "-c", FULL, stdout=subprocess.PIPE)
    assert server.stdout is not None
    assert server.stdout.readline()
    # Pods talk all the time; this one has to begin, so that the node knows behind which interface it is.
    node.start(node.pod, sys.executable, "-c", KNOWN).wait()
    script = collector(Choices(duration_s=9, pod_ip=POD, server="http://127.0.0.1:8000"))
    collecting = node.start(
        node.node,
        "sh",
        "-s",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    )
    assert collecting.stdin is not None
    collecting.stdin.write(script)
    collecting.stdin.close()
    time.sleep(2)
    clients = node.start(node.pod, sys.executable, "-c", CLIENTS)
    try:
        assert collecting.wait(120) == 0
    finally:
        for process in (clients, server):
            process.kill()
            process.wait()
        server.stdout.close()
    assert collecting.stdout is not None
    assert collecting.stderr is not None
    said = collecting.stdout.read()
    collecting.stdout.close()
    collecting.stderr.close()
    (bundle,) = folder.glob("stallscope-*.tar.gz")
    assert said.startswith(f"stallscope upload {bundle} ")
    return bundle


def test_its_bundle_holds_every_point_and_is_analysed_to_a_diagnosis(node: Node, tmp_path: Path) -> None:
    bundle = _collected(node, tmp_path)
    with tarfile.open(bundle) as archive:
        names = {Path(member).name.rsplit(".", 1)[0] for member in archive.getnames()}
    assert {"veth7", "cni0", "uplink", "ip-addr", "nstat", "ss-listen", "uname"} <= names
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "workers.cli.main", "analyze", str(bundle), "--json", str(report)]
    subprocess.run(command, check=True, capture_output=True)
    found = json.loads(report.read_text())
    points = [point["name"] for each in found["inputs"] for point in each.get("vantage_points", [])]
    assert {"veth7", "cni0", "uplink"} <= set(points)
    repeated = next(each for each in found["findings"] if each["kind"] == "syn-retransmission")
    assert repeated["count"] >= 3
    assert f"{SERVER}:8080" in found["diagnoses"][0]["statement"]
