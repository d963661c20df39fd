"""`make lab CAUSE=… SEED=…`: make instances, analyze them, and say what was said."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from workers.tests.lab.incident import all_incidents
from workers.tests.lab.instance import make_instance, why_not
from workers.tests.lab.judge import judge


def main() -> int:
    """0 when every expectation of every instance holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("incident", nargs="*", help="names of incidents, or of causes; none lists them")
    parser.add_argument("--seed", type=int, action="append", help="may be given several times (1)")
    parser.add_argument(
        "--out", type=Path, default=Path(".cache/lab"), help="where folders are made (.cache/lab)"
    )
    options = parser.parse_args()
    incidents = all_incidents()
    chosen = [each for each in incidents.values() if {each.name, each.cause} & set(options.incident)]
    if not chosen:
        for each in incidents.values():
            print(f"{each.name:24} {each.cause or '-':22} {each.what}")
        return 2 if options.incident else 0
    reason = why_not()
    if reason:
        print(f"No incident can be made here: {reason}.", file=sys.stderr)
        return 2
    held = [_one(each.name, seed, options.out) for each in chosen for seed in options.seed or [1]]
    return 0 if all(held) else 1


def _one(name: str, seed: int, out: Path) -> bool:
    folder = out / f"{name}-s{seed}"
    make_instance(name, seed, folder)
    print(f"{folder}", flush=True)
    verdicts = judge(folder)
    for verdict in verdicts:
        print(f"  {verdict}", flush=True)
    return all(verdict.holds for verdict in verdicts)


if __name__ == "__main__":
    sys.exit(main())
