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
