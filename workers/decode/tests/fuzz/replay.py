"""``python -m workers.decode.tests.fuzz.replay [--plain] TARGET FOLDER``: what comes out of each input, a line each.

The compiled loop checks bounds, and must say the same as the plain one.
"""

from __future__ import annotations

import sys
from pathlib import Path

from workers.decode.tests.fuzz.plain import use_plain_python


def main() -> None:
    """Prints (file, what came out); an input that fails ends it with the traceback."""
    words = sys.argv[1:]
    if "--plain" in words:
        words.remove("--plain")
        use_plain_python()
    from workers.decode.tests.fuzz.targets import TARGETS

    target, folder = words
    for path in sorted(Path(folder).iterdir()):
        print(path.name, TARGETS[target](path.read_bytes(), True), flush=True)


if __name__ == "__main__":
    main()
