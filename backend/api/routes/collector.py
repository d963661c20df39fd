"""The collector: what to run on a node, as a text to copy or to save."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse

from backend.services.collector import Choices, Form, collector
from backend.services.collector.script import Proxy, Symptom

router = APIRouter(tags=["collector"])


@router.get("/collector", response_class=PlainTextResponse)
def get_collector(
    symptom: Symptom = "connect",
    proxy: Proxy = "unknown",
    duration_s: Annotated[int, Query(description="Duration of the capture")] = 60,
    size_mb: Annotated[int, Query(description="It stops when its files reach this size")] = 200,
    pod_ip: Annotated[str, Query(max_length=45, description="A pod whose own interface is captured")] = "",
    interfaces: Annotated[str, Query(max_length=300, description="Instead of the detected ones")] = "",
    kernel_probe: bool = False,
    server: Annotated[str, Query(max_length=220, description="For the line that uploads the bundle")] = (
        "http://127.0.0.1:8000"
    ),
    form: Form = "script",
) -> str:
    """A POSIX shell script, a manifest for all nodes, or a call of kubectl debug around the script."""
    return collector(
        Choices(symptom, proxy, duration_s, size_mb, pod_ip, interfaces, kernel_probe, server), form
    )
