"""``python -m workers.decode.tests.fuzz TARGET FOLDER``: a coverage-guided search for what breaks the decoder.

Needs atheris (requirements-fuzz.txt), which exists for Linux only. Inputs that reach new branches are kept in
FOLDER, one that fails is written to FOLDER/failed-*; see docs/fuzzing.md.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

from workers.decode.tests.fuzz.plain import use_plain_python


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m workers.decode.tests.fuzz")
    parser.add_argument("target", choices=("containers", "packets", "messages", "dumps"))
    parser.add_argument("folder", type=Path, help="where the corpus is kept")
    parser.add_argument("--seconds", type=int, default=30, help="how long to search (default 30)")
    parser.add_argument("--longest", type=int, default=8192, help="bytes of the longest input (default 8192)")
    return parser.parse_args()


def main() -> None:
    """Fuzzes until the time is up or an input fails."""
    arguments = _arguments()
    use_plain_python()
    import atheris

    with atheris.instrument_imports(include=["workers.decode", "backend.forensics"]):
        from workers.decode.tests.fuzz.targets import TARGETS
    from workers.decode.tests.fuzz.seeds import seeds

    read = TARGETS[arguments.target]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds(arguments.target):
        (arguments.folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)

    def read_one(data: bytes) -> None:
        read(data, False)

    options = [
        f"-max_total_time={arguments.seconds}", f"-max_len={arguments.longest}", "-timeout=60",
        "-rss_limit_mb=3000", f"-artifact_prefix={arguments.folder}/failed-", "-print_final_stats=1",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(arguments.folder)], read_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
