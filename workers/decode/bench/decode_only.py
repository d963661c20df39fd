"""Decodes one capture and nothing else, in a process of its own: what `bench` measures as bare decode."""

from __future__ import annotations

import sys
from pathlib import Path

from workers.decode.captures import decode_capture

if __name__ == "__main__":
    table = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    decode_capture(Path(sys.argv[1]), name="bench.pcap", sha256="", packets_path=table)
