"""Draws a picture with the web page's own functions, in a JavaScript engine in a process of its own.

The script is built from `frontend/src/pictures/library`; what it draws from are answers of the API, as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, Final, Literal

from backend.errors import PartFailed, TooCostly, Unavailable

PACKAGE: Final = Path(__file__).parents[1]
ENGINE: Final = Path(__file__).with_name("picture_engine.py")
TOO_MUCH: Final = "The picture is too large to draw: ask for a shorter window."
INPUT_BYTES: Final = 32 << 20
SVG_BYTES: Final = 4 << 20
CPU_S: Final = 10
"""Of one call. The largest demonstration takes 0.2 s."""
CALL_S: Final = 20.0
"""The same by the clock."""
CALLS_AT_ONCE: Final = 2
"""Each takes a processor for some tenths of a second, and some 100 MB."""
PATIENCE_S: Final = 10.0

Call = Literal["timelineRequest", "timeline", "rttRequest", "rtt", "ladder", "breakdown"]


def script_file() -> Path:
    """Inside the package when installed from a wheel, in the front end's folder in a checkout."""
    installed = PACKAGE / "web"
    folder = installed if installed.is_dir() else PACKAGE.parent / "frontend" / "dist"
    return folder / "pictures" / "pictures.js"


class _Drawn:
    """The answers to the last calls, by everything that they were made of."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._answers: OrderedDict[bytes, bytes] = OrderedDict()

    def get(self, key: bytes) -> bytes | None:
        with self._lock:
            answer = self._answers.get(key)
            if answer is not None:
                self._answers.move_to_end(key)
            return answer

    def put(self, key: bytes, answer: bytes) -> None:
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > self._most:
                self._answers.popitem(last=False)


_DRAWN = _Drawn(64)
_PLACES = BoundedSemaphore(CALLS_AT_ONCE)


def call_picture(call: Call, given: dict[str, Any]) -> Any:
    """The function's answer: an SVG as text, or what the server is to be asked for. Raises TooCostly, Unavailable,
    PartFailed."""
    script = script_file()
    if not script.is_file():
        raise Unavailable("Pictures are not built here: run `make build`.")
    asked = json.dumps(given, ensure_ascii=False, separators=(",", ":")).encode()
    if len(asked) > INPUT_BYTES:
        raise TooCostly(TOO_MUCH)
    key = sha256(f"{call} {script.stat().st_mtime_ns} ".encode() + asked).digest()
    answer = _DRAWN.get(key)
    if answer is None:
        answer = _run(script, call, asked)
        _DRAWN.put(key, answer)
    return json.loads(answer)


def _run(script: Path, call: str, asked: bytes) -> bytes:
    if not _PLACES.acquire(timeout=PATIENCE_S):
        raise Unavailable("Other pictures are being drawn; try again in some seconds.")
    try:
        # Nothing of the environment: no secret reaches the process, and its clock is UTC.
        ran = subprocess.run(
            [sys.executable, "-I", str(ENGINE), str(script), call, str(CPU_S)],
            input=asked,
            capture_output=True,
            env={"TZ": "UTC"},
            timeout=CALL_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TooCostly(TOO_MUCH) from error
    finally:
        _PLACES.release()
    if ran.returncode == 0:
        if len(ran.stdout) > SVG_BYTES:
            raise TooCostly(TOO_MUCH)
        return ran.stdout
    if b"No module named" in ran.stderr:
        raise Unavailable("Pictures cannot be drawn here: the package quickjs-ng is not installed.")
    # By the engine's own limits, or killed at those of the process.
    if ran.returncode < 0 or b"out of memory" in ran.stderr or b"interrupted" in ran.stderr:
        raise TooCostly(TOO_MUCH)
    raise PartFailed("The picture could not be drawn.")
