"""The fields that are read of objects of Kubernetes (core/v1, discovery.k8s.io/v1), Docker and the CRI.

Every other field is left out while the text is read. A field of another type makes the object one that is not
understood."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Metadata(_Read):
    name: str = ""
    namespace: str = ""
    created: str | None = Field(default=None, alias="creationTimestamp")
    deleted: str | None = Field(default=None, alias="deletionTimestamp")
    """When its grace period ends."""


class Variable(_Read):
    name: str = ""
    value: str | None = None


class PodContainer(_Read):
    env: list[Variable] | None = None
    args: list[str] | None = None
    command: list[str] | None = None


class Ended(_Read):
    at: str | None = Field(default=None, alias="finishedAt")


class ContainerState(_Read):
    terminated: Ended | None = None


class ContainerStatus(_Read):
    state: ContainerState = ContainerState()


class Spec(_Read):
    host_network: bool = Field(default=False, alias="hostNetwork")
    cluster_ip: str = Field(default="", alias="clusterIP")
    cluster_ips: list[str] | None = Field(default=None, alias="clusterIPs")
    external_ips: list[str] | None = Field(default=None, alias="externalIPs")
    containers: list[PodContainer] | None = None


class Ip(_Read):
    ip: str = ""


class LoadBalancer(_Read):
    ingress: list[Ip] | None = None


class NodeAddress(_Read):
    type: str = ""
    address: str = ""


class Status(_Read):
    phase: str = ""
    pod_ip: str = Field(default="", alias="podIP")
    pod_ips: list[Ip] | None = Field(default=None, alias="podIPs")
    started: str | None = Field(default=None, alias="startTime")
    containers: list[ContainerStatus] | None = Field(default=None, alias="containerStatuses")
    load_balancer: LoadBalancer = Field(default=LoadBalancer(), alias="loadBalancer")
    addresses: list[NodeAddress] | None = None


class Reference(_Read):
    kind: str = ""
    name: str = ""
    namespace: str = ""


class Endpoint(_Read):
    """Of a slice; an address of Endpoints has `ip` in place of `addresses`."""

    addresses: list[str] | None = None
    ip: str = ""
    target: Reference | None = Field(default=None, alias="targetRef")


class Subset(_Read):
    addresses: list[Endpoint] | None = None
    not_ready: list[Endpoint] | None = Field(default=None, alias="notReadyAddresses")


class KubernetesObject(_Read):
    kind: str = ""
    metadata: Metadata = Metadata()
    spec: Spec = Spec()
    status: Status = Status()
    endpoints: list[Endpoint] | None = None
    subsets: list[Subset] | None = None


class DockerState(_Read):
    started: str | None = Field(default=None, alias="StartedAt")
    finished: str | None = Field(default=None, alias="FinishedAt")
    running: bool = Field(default=False, alias="Running")


class DockerNetwork(_Read):
    v4: str = Field(default="", alias="IPAddress")
    v6: str = Field(default="", alias="GlobalIPv6Address")


class DockerNetworks(DockerNetwork):
    networks: dict[str, DockerNetwork] | None = Field(default=None, alias="Networks")


class DockerConfig(_Read):
    env: list[str] | None = Field(default=None, alias="Env")


class DockerContainer(_Read):
    name: str = Field(alias="Name")
    state: DockerState = Field(default=DockerState(), alias="State")
    network: DockerNetworks = Field(default=DockerNetworks(), alias="NetworkSettings")
    config: DockerConfig = Field(default=DockerConfig(), alias="Config")


class SandboxNetwork(_Read):
    ip: str = ""
    additional: list[Ip] | None = Field(default=None, alias="additionalIps")


class SandboxStatus(_Read):
    metadata: Metadata
    created: str | None = Field(default=None, alias="createdAt")
    network: SandboxNetwork


class Sandbox(_Read):
    """`crictl inspectp`."""

    status: SandboxStatus
