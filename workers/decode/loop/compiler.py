"""How the loop's functions are compiled."""

from __future__ import annotations

from typing import Any

import numba
from numba import types
from numba.extending import intrinsic

# Its stubs know neither all options nor the settings.
_njit: Any = numba.njit
_config: Any = numba.config

# Without numba's reference counting (nothing is allocated in the loop) each call is 3-4 times as quick.
# Bounds are checked because the bytes come from strangers; numpy's error model keeps divisions from raising.
_OPTIONS: Any = {"nogil": True, "boundscheck": True, "error_model": "numpy", "_nrt": False}

compiled: Any = _njit(**_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""For functions that are called by compiled code only; without what would make them callable by Python, a third
of the time to compile them is saved."""

inlined: Any = _njit(**_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True, inline="always")
"""For a function with a single caller: it becomes a part of that before it is compiled. A chain of such functions
would otherwise be compiled anew, with all that they call, for each link of the chain."""

entry: Any = _njit(**_OPTIONS, cache=True)
"""For functions that Python calls: their machine code is kept on disk."""


def entry_kept_in(folder: str) -> Any:
    """Like `entry`, with the machine code in a folder of its own."""

    def decorate(function: Any) -> Any:
        usual = _config.CACHE_DIR
        _config.CACHE_DIR = folder
        try:
            return entry(function)
        finally:
            _config.CACHE_DIR = usual

    return decorate


def _apart(context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), generate


def _nothing() -> None:
    """What `apart` does in plain Python."""


apart: Any = _nothing if _config.DISABLE_JIT else intrinsic(_apart)
"""Called at the beginning of a function, it keeps LLVM from copying that into its callers. Functions called from
several places, each of which is in turn, would otherwise be copied a hundredfold, and take minutes to compile."""
