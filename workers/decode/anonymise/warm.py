"""Compiles the rewriting of packets once per machine: ``python -m workers.decode.anonymise.warm``, or when it is first
asked for. Few need it, so nobody waits for it with his first capture."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workers.decode import anonymiser_cache
from workers.decode.anonymise.loop.records import ANONYMISER_DTYPE
from workers.decode.anonymise.loop.walk import anonymise_pcap, anonymise_pcapng, learn_addresses
from workers.decode.loop.compiler import compiling
from workers.decode.warm import compile_once, end_with_who_asked

_MODULE = "workers.decode.anonymise.warm"


def compile_anonymiser() -> None:
    """Calls each entry with nothing to read, which in the process that compiles compiles it."""
    memory, nothing, nobody = np.zeros(1, ANONYMISER_DTYPE), np.zeros(1, np.uint8), np.zeros(1, np.int64)
    learn_addresses(memory)
    anonymise_pcap(nothing, False, False, memory, nobody, nothing)
    anonymise_pcapng(nothing, False, 1, memory, nobody, nothing)


def ensure_anonymiser_compiled() -> None:
    """One process compiles while others wait. Raises RuntimeError when it cannot be compiled."""
    compile_once(_MODULE, Path(anonymiser_cache()), "warm", "the rewriting of packets")


if __name__ == "__main__":
    if compiling:
        end_with_who_asked()
        compile_anonymiser()
    else:
        ensure_anonymiser_compiled()
