"""Worker processes as the API shows them."""

from __future__ import annotations

from pydantic import BaseModel

from backend.storage.executors import Worker


class WorkerView(BaseModel):
    """A worker that is alive."""

    machine: str
    not_confined_by: list[str]
    """What its machine refuses to confine the processes with that read uploads: "Landlock", "seccomp", "network
    namespaces"; empty where everything holds."""

    @classmethod
    def of(cls, worker: Worker) -> WorkerView:
        """The stored record in the API's words."""
        return cls.model_validate(worker, from_attributes=True)


class WorkerList(BaseModel):
    """All of them."""

    items: list[WorkerView]
