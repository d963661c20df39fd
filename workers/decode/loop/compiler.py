"""How the loop's functions are compiled.

Only a process that compiles imports numba; everybody else runs the machine code that one left (`machine`). With
``NUMBA_DISABLE_JIT=1`` all functions are plain Python: for coverage, and for looking into them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from workers.decode import loop_cache
from workers.decode.loop.machine import StoredEntry

COMPILES: Final = "STALLSCOPE_COMPILES"
"""Set in the environment of the process that compiles."""

interpreted: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
compiling: Final = COMPILES in os.environ and not interpreted

# Without numba's reference counting (nothing is allocated in the loop) each call is 3-4 times as quick.
# Bounds are checked because the bytes come from strangers; numpy's error model keeps divisions from raising.
# No function but the entries is called by Python, and those neither by way of numba: without what would make them
# callable, a third of the time to compile is saved.
_OPTIONS: Any = {
    "nogil": True, "boundscheck": True, "error_model": "numpy", "_nrt": False,
    "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
}  # fmt: skip


def _njit(**options: Any) -> Any:
    if not compiling:
        return _unchanged
    import numba

    return numba.njit(**_OPTIONS, **options)


def _unchanged(function: Any) -> Any:
    return function


compiled: Any = _njit()
"""For functions that are called by compiled code only."""

inlined: Any = _njit(inline="always")
"""For a function with a single caller: it becomes a part of that before it is compiled. A chain of such functions
would otherwise be compiled anew, with all that they call, for each link of the chain."""


def entry_kept_in(folder: Callable[[], str]) -> Any:
    """For functions that Python calls, which return nothing: their machine code is kept in `folder()`."""

    def decorate(function: Any) -> Any:
        if interpreted:
            return function
        if compiling:
            from workers.decode.loop.emit import EmittedEntry

            return EmittedEntry(_njit()(function), function, folder)
        return StoredEntry(function, folder)

    return decorate


entry: Any = entry_kept_in(loop_cache)
"""For functions that Python calls, which return nothing."""


def _attribute(name: str) -> Any:
    """A function for compiled code that gives LLVM a hint about the function that calls it."""
    if not compiling:
        return _nothing
    from numba import types
    from numba.extending import intrinsic

    def typing(context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.function.attributes.add(name)
            return context.get_dummy_value()

        return types.none(), generate

    return intrinsic(typing)


def _nothing() -> None:
    """What `apart` and `together` do in plain Python."""


apart: Any = _attribute("noinline")
"""Called at the beginning of a function, it keeps LLVM from copying that into its callers. Functions called from
several places, each of which is in turn, would otherwise be copied a hundredfold, and take minutes to compile."""

together: Any = _attribute("alwaysinline")
"""Called at the beginning of a function, it makes LLVM copy that into its callers. An array is seven words to a
compiled call, so that handing a dozen of them on costs more than most of what the loop does with a packet."""
