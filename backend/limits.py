"""What an upload may cost. Each limit is a setting (``STALLSCOPE_`` and its name); the defaults are here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds for hostile input, chosen so that no honest file meets them."""

    unpacked_ratio: int = 1_000
    """Unpacked bytes per stored byte, beyond the first 64 MiB of a file. gzip cannot exceed 1,032; captures
    stay below 100 even when one packet repeats for hours; zstd and bzip2 bombs reach 30,000 and more."""
    unpacked_bytes: int = 256 << 30
    """Unpacked bytes of one file, or of all members of one bundle together: what a disk can be asked for."""
    bundle_members: int = 50_000
    """Members of one bundle with those of the bundles in it. A large sosreport has about 20,000."""
    bundle_depth: int = 3
    """Bundles within bundles: a collector's zip of the nodes' tarballs of rotated captures needs two."""
    child_memory_bytes: int = 6 << 30
    """Memory that one child process may have for itself (RLIMIT_DATA; numba and Arrow reserve about 200 MB more
    than they use). Decoding needs 400 MB, and 300 bytes for each of a capture's connections."""
    child_cpu_s: int = 3600
    """Largest processor time for one file, or for judging one investigation: a TB of capture takes about as long."""
    child_cpu_least_s: int = 180
    """Processor time that a file of any size may take: a text of 256 MiB packed into little takes about 100 s."""
    child_cpu_s_per_gib: int = 1200
    """And for each GiB of its stored bytes, besides: decoding takes about 10 s, 20 times that where it is packed."""
    part_cpu_s: int = 300
    """Processor time of one detector, cause or list of a report. On 10 M packets the slowest take seconds."""
    part_memory_bytes: int = 2 << 30
    """And its memory, beside what the analysis has before it begins."""
    small_bytes: int = 16 << 20
    """Files up to this size have one child that larger ones never take."""
    children_memory_percent: int = 80
    """Of the machine's memory, or the container's: what all children of a worker may take together."""
    child_file_bytes: int = 256 << 30
    """Largest file that a child may write (RLIMIT_FSIZE): a packet table has some 40 bytes a packet."""
    child_answer_bytes: int = 64 << 20
    """Largest message that a child may send; results lie in files, an answer is a few lines."""
    look_memory_bytes: int = 2 << 30
    """Memory of a process that looks into single frames (tshark keeps state of every conversation it passes)."""
    look_cpu_s: int = 120
    """Processor time of one look, and half of what it may take by the clock."""
    look_answer_bytes: int = 64 << 20
    """What a program that looks may say: 1.9 MB of VNC made 8.8 GB of PDML."""
    disk_reserve_bytes: int = 0
    """Free space below which uploads are refused, and below half of which no analysis writes: the database needs room
    to delete. 0 stands for a twentieth of the disk, at most 4 GiB."""
