"""What a process that reads hostile bytes gives up for good: privileges, system calls, files, the network.

Standard library and system calls alone, so that it can be used before anything else is imported."""

from __future__ import annotations

from workers.confinement.landlock import landlock_version
from workers.confinement.seccomp import has_seccomp


def missing_confinement() -> tuple[str, ...]:
    """What this kernel or container does not offer, in words for the log."""
    missing = []
    if landlock_version() < 1:
        missing.append("Landlock (files of other jobs can be read)")
    if not has_seccomp():
        missing.append("seccomp filters (programs can be started and sockets opened)")
    return tuple(missing)
