"""Texts that kernels and their tools print, parsed: one module per format, found by its `KIND`."""

from workers.decode.dumps.splitting import (
    dumps_in,
    parse_dump_bytes,
    parse_dumps,
    read_dumps,
    recognise_dump,
)
from workers.decode.dumps.text import read_text

__all__ = ["dumps_in", "parse_dump_bytes", "parse_dumps", "read_dumps", "read_text", "recognise_dump"]
