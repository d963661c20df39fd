"""`make printed`: whether captures printed by tcpdump are judged as the captures are, as the page docs/printed.md."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

REPOSITORY: Final = Path(__file__).parents[2]
PAGE: Final = REPOSITORY / "docs" / "printed.md"
OPTIONS: Final = ("-nn -e -v", "-nn", "-nn -tttt", "-n -tt -X", "-n -vv -S")
CONFIDENT: Final = 0.5
_STALLSCOPE: Final = str(Path(sys.executable).with_name("stallscope"))
_AT_ONCE: Final = 2


@dataclass(frozen=True)
class Case:
    """Inputs of one investigation."""

    name: str
    files: tuple[Path, ...]

    def captures(self) -> list[Path]:
        """Those that tcpdump can print."""
        return [path for path in self.files if ".pcap" in path.name]


@dataclass(frozen=True)
class Printed:
    """Causes at 0.5 or more, the surest first: of the captures, and of their text with these options."""

    case: str
    options: str
    captured: tuple[str, ...]
    printed: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether both name the same cause first, or none."""
        return self.captured[:1] == self.printed[:1]

    @property
    def false(self) -> tuple[str, ...]:
        """What only the text was blamed on."""
        return tuple(cause for cause in self.printed if cause not in self.captured)


def cases(folder: Path, incidents: str = "*") -> Iterator[Case]:
    """Every case of every incident in a folder of incidents (`expect.json`) that holds a capture."""
    for expected in sorted(folder.glob(f"{incidents}/expect.json")):
        for case in json.loads(expected.read_text())["cases"]:
            files = [path for given in case["inputs"] for path in sorted(expected.parent.glob(given))]
            found = Case(f"{expected.parent.name}/{case['name']}", tuple(files))
            if found.captures():
                yield found


def compare(case: Case, options: Sequence[str]) -> Iterator[Printed]:
    """Analyzes the captures, and then their text with each set of options."""
    captured = _causes(case.files)
    for each in options:
        with tempfile.TemporaryDirectory(prefix="stallscope-printed-") as folder:
            files = [
                _print(path, each, Path(folder)) if path in case.captures() else path for path in case.files
            ]
            yield Printed(case.name, each, captured, _causes(files))


def _print(capture: Path, options: str, folder: Path) -> Path:
    """The capture itself where tcpdump can't read it."""
    text = folder / f"{capture.name.split('.')[0]}.txt"
    content = gzip.decompress(capture.read_bytes()) if capture.suffix == ".gz" else capture.read_bytes()
    command = ["tcpdump", *options.split(), "-r", "-"]
    # It prints what it can read, and fails where a capture ends inside a packet.
    text.write_bytes(subprocess.run(command, input=content, capture_output=True, check=False).stdout)
    return text if text.stat().st_size else capture


def _causes(files: Iterable[Path]) -> tuple[str, ...]:
    command = [_STALLSCOPE, "analyze", "--json", "-", *map(str, files)]
    answer = subprocess.run(command, capture_output=True, check=True).stdout
    diagnoses: list[dict[str, Any]] = json.loads(answer)["diagnoses"]
    sure = [each for each in diagnoses if each["confidence"] >= CONFIDENT and each["cause"] != "unknown"]
    return tuple(each["cause"] for each in sorted(sure, key=lambda each: -each["confidence"]))


def page(found: Sequence[Printed]) -> str:
    """The page: a line for each set of options, and every case that differs."""
    head = f"""# What tcpdump prints, against the capture

Written by `make printed`: each case of a folder of incidents is analyzed as it was captured, and again with every
capture replaced by what `tcpdump` prints of it. *Same*: the surest cause of {CONFIDENT} or more is the same, or there
is none in both. *False*: a cause of {CONFIDENT} or more that the captures do not have. `tcpdump` prints application
data with `-X` or `-A` only, so causes that rest on requests are missing without these.

| options | cases | same | missed | false |
| --- | --- | --- | --- | --- |
"""
    return "".join([head, *_by_options(found), *_different(found)])


def _by_options(found: Sequence[Printed]) -> Iterator[str]:
    for options in dict.fromkeys(each.options for each in found):
        group = [each for each in found if each.options == options]
        count = Counter("same" if each.same else "missed" if not each.printed else "other" for each in group)
        false = sum(bool(each.false) for each in group)
        yield f"| `{options}` | {len(group)} | {count['same']} | {count['missed']} | {false} |\n"


def _different(found: Sequence[Printed]) -> Iterator[str]:
    different = [each for each in found if not each.same or each.false]
    if not different:
        return
    yield "\n| case | options | of the captures | of the text |\n| --- | --- | --- | --- |\n"
    for each in different:
        yield f"| {each.case} | `{each.options}` | {_listed(each.captured)} | {_listed(each.printed)} |\n"


def _listed(causes: Sequence[str]) -> str:
    return ", ".join(f"`{cause}`" for cause in causes) or "none"


def _shown(case: Case, options: Sequence[str]) -> Iterator[Printed]:
    for each in compare(case, options):
        print(each, flush=True)
        yield each


def main() -> int:
    """Analyzes and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--options", action="append", help="of tcpdump; may be given several times")
    parser.add_argument("--incidents", default="*", help="a pattern of their folders' names")
    parser.add_argument("folder", nargs="?", help="incidents; STALLSCOPE_EXTRA_CAPTURES/lab without it")
    options = parser.parse_args()
    extra = os.environ.get("STALLSCOPE_EXTRA_CAPTURES", "")
    folder = Path(options.folder) if options.folder else Path(extra) / "lab"
    if not any(folder.glob("*/expect.json")):
        parser.exit(2, "No incidents: give their folder, or set STALLSCOPE_EXTRA_CAPTURES.\n")
    with ThreadPoolExecutor(_AT_ONCE) as several:
        done = [
            each
            for of_case in several.map(
                lambda case: list(_shown(case, options.options or OPTIONS)), cases(folder)
            )
            for each in of_case
        ]
    PAGE.write_text(page(done))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
