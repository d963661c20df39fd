"""A cluster in the shape of kind's: what ``kubectl get pods,services,endpointslices,nodes -A -o json`` prints."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

NODE_PODS: Final = 250


@dataclass(frozen=True)
class TestPod:
    """One pod; its place in the cluster is its name's."""

    __test__ = False

    namespace: str
    name: str
    address: str
    node: str
    started: str = "2026-11-20T08:00:05Z"
    deleted: str | None = None
    host_network: bool = False
    phase: str = "Running"
    finished: str | None = None


def pod(each: TestPod) -> dict[str, Any]:
    """The object, with all that the API server of kind returns for a pod of one container."""
    metadata: dict[str, Any] = {
        "creationTimestamp": each.started,
        "generateName": each.name.rpartition("-")[0] + "-",
        "labels": {"app": each.name.partition("-")[0], "pod-template-hash": "7f9c4d5b6d"},
        "name": each.name,
        "namespace": each.namespace,
        "ownerReferences": [
            {"apiVersion": "apps/v1", "blockOwnerDeletion": True, "controller": True, "kind": "ReplicaSet",
             "name": each.name.rpartition("-")[0], "uid": "5f0d8c3e-7d1c-4f5e-9a53-0c8a1f7b2d11"}
        ],
        "resourceVersion": "1842",
        "uid": "0b9f2c4e-2b1d-4c53-8f5e-6d7e8f9a0b1c",
    }  # fmt: skip
    if each.deleted:
        metadata |= {"deletionGracePeriodSeconds": 30, "deletionTimestamp": each.deleted}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": _pod_spec(each),
        "status": _pod_status(each),
    }


def _pod_spec(each: TestPod) -> dict[str, Any]:
    token = {
        "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
        "name": "kube-api-access-x2lq7",
        "readOnly": True,
    }
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
        {"downwardAPI": {"items": [{"fieldRef": {"fieldPath": "metadata.namespace"}, "path": "namespace"}]}},
    ]  # fmt: skip
    container = {
        "image": "registry.example/app:1.4.2", "imagePullPolicy": "IfNotPresent", "name": "app",
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "readinessProbe": {"failureThreshold": 3, "httpGet": {"path": "/ready", "port": "http", "scheme": "HTTP"},
                           "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1},
        "resources": {"limits": {"memory": "128Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "volumeMounts": [token],
    }  # fmt: skip
    spec: dict[str, Any] = {
        "containers": [container], "dnsPolicy": "ClusterFirst", "enableServiceLinks": True, "nodeName": each.node,
        "preemptionPolicy": "PreemptLowerPriority", "priority": 0, "restartPolicy": "Always",
        "schedulerName": "default-scheduler", "securityContext": {}, "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists",
                         "tolerationSeconds": 300}],
        "volumes": [{"name": "kube-api-access-x2lq7", "projected": {"defaultMode": 420, "sources": sources}}],
    }  # fmt: skip
    return spec | ({"hostNetwork": True} if each.host_network else {})


def _pod_status(each: TestPod) -> dict[str, Any]:
    state: dict[str, Any] = {"running": {"startedAt": each.started}}
    if each.finished:
        state = {"terminated": {"exitCode": 0, "finishedAt": each.finished, "reason": "Completed"}}
    conditions = [
        {"lastProbeTime": None, "lastTransitionTime": each.started, "status": "True", "type": type_}
        for type_ in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    ]
    return {
        "conditions": conditions,
        "containerStatuses": [{"containerID": "containerd://9f2c", "image": "registry.example/app:1.4.2", "name": "app",
                               "ready": True, "restartCount": 0, "started": True, "state": state}],
        "hostIP": "172.18.0.3", "phase": each.phase, "podIP": each.address, "podIPs": [{"ip": each.address}],
        "qosClass": "Burstable", "startTime": each.started,
    }  # fmt: skip


def service(namespace: str, name: str, address: str) -> dict[str, Any]:
    """A ClusterIP service; ``None`` makes it headless."""
    spec = {
        "clusterIP": address, "clusterIPs": [address], "internalTrafficPolicy": "Cluster", "ipFamilies": ["IPv4"],
        "ports": [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": "http"}], "sessionAffinity": "None",
        "type": "ClusterIP",
    }  # fmt: skip
    metadata = {"creationTimestamp": "2026-11-19T10:00:00Z", "name": name, "namespace": namespace}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": spec,
        "status": {"loadBalancer": {}},
    }


def node(name: str, address: str) -> dict[str, Any]:
    """A node with its internal address."""
    status = {
        "addresses": [{"address": address, "type": "InternalIP"}, {"address": name, "type": "Hostname"}],
        "nodeInfo": {"kernelVersion": "6.8.0-45-generic", "kubeletVersion": "v1.31.0", "osImage": "Debian 12"},
    }  # fmt: skip
    metadata = {"creationTimestamp": "2026-11-19T09:58:00Z", "name": name}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": {"podCIDR": "10.244.1.0/24"},
        "status": status,
    }


def endpoint_slice(namespace: str, name: str, pods: list[TestPod]) -> dict[str, Any]:
    """The slice of a service."""
    endpoints = [
        {"addresses": [each.address], "conditions": {"ready": True, "serving": True, "terminating": False},
         "nodeName": each.node, "targetRef": {"kind": "Pod", "name": each.name, "namespace": each.namespace}}
        for each in pods
    ]  # fmt: skip
    metadata = {"creationTimestamp": "2026-11-19T10:00:00Z", "name": f"{name}-x7k2p", "namespace": namespace}
    return {"addressType": "IPv4", "apiVersion": "discovery.k8s.io/v1", "endpoints": endpoints or None,
            "kind": "EndpointSlice", "metadata": metadata,
            "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}]}  # fmt: skip


def listed(objects: list[dict[str, Any]]) -> str:
    """As kubectl prints a list."""
    return (
        json.dumps(
            {"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {"resourceVersion": ""}},
            indent=4,
        )
        + "\n"
    )


def many_pods(count: int) -> list[TestPod]:
    """Pods on nodes of 250 each, with different addresses."""
    return [
        TestPod("payments", f"checkout-7f9c4d5b6d-{number:05x}",
                f"10.{64 + (number >> 16)}.{number >> 8 & 255}.{number & 255}", f"kind-worker{number // NODE_PODS}")
        for number in range(1, count + 1)
    ]  # fmt: skip
