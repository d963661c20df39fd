"""Texts that kernels and their tools print, parsed: one module per format, found by its `KIND`."""

from workers.decode.dumps.splitting import parse_dumps, read_dump_text, recognise_dump

__all__ = ["parse_dumps", "read_dump_text", "recognise_dump"]
