"""What programs were doing on a host: listings that can name who held up a stall."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PacketProcess:
    """A line of a kernel probe's listing: the process that a CPU was running when it took a packet from its queue."""

    line: int
    tgid: int
    pid: int
    process: str
    """``swapper/11`` is the idle CPU, ``ksoftirqd/11`` its network thread."""
    sequence: int
    """ICMP sequence number of the packet, in whichever byte order the probe printed it."""

    @property
    def idle(self) -> bool:
        """Whether the CPU had nothing else to do."""
        return self.process.startswith("swapper")


@dataclass(frozen=True)
class SystemCall:
    """A line of ``strace -T``. What was read or written is not kept: it may hold secrets."""

    line: int
    pid: int | None
    process: str
    """Its name, where strace shows it; else ""."""
    name: str
    """``read``, ``futex``, …"""
    path: str
    """The file, where strace names it (``-y``, or the argument of open and stat); else ""."""
    duration_s: float
    time_ns: int | None = None
    """Begin of the call, UTC, as ``-ttt`` prints it."""
    time_of_day_s: float | None = None
    """Begin of the call since midnight of the host's zone, as ``-t`` and ``-tt`` print it."""


@dataclass(frozen=True)
class StackSamples:
    """A line of collapsed stacks: a program's call chain and how often it was met there."""

    line: int
    process: str
    frames: tuple[str, ...]
    """From the outermost call on, the program's name left out."""
    samples: int
