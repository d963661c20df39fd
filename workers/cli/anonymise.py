"""`stallscope anonymize FILE…`: the same captures and dumps with other addresses and names, without payload."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workers.cli.usage import WrongUsage, exit_code_of

if TYPE_CHECKING:
    from workers.cli.evidence_files import EvidenceFile
    from workers.decode.anonymise.bundle import Original

NAME = "anonymize"
ALIASES = ("anonymise",)
HELP = "write captures and dumps with pseudonyms for addresses and names and without payload, for sharing"
EPILOG = """\
examples:
  stallscope anonymize node-7/                                  writes anonymised.tar.gz
  stallscope anonymize any.pcap conntrack-L.txt --out a.tar.gz
  stallscope anonymize --key-file team.key monday/ --out monday.tar.gz
                                                                the same names again with the same key

`stallscope analyze` finds the same in the bundle as in the files. Anyone with the key can map pseudonyms back to
addresses; without --key-file the key is discarded."""
KEY_BYTES = 32


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.epilog = EPILOG
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="a capture, a dump, or a directory or archive (tar, zip): all the files in it",
    )
    add("--out", metavar="PATH", default="anonymised.tar.gz", help="the bundle (anonymised.tar.gz)")
    add("--key-file", metavar="PATH", help="a secret of 32 bytes or more; created if the file does not exist")


def run(arguments: argparse.Namespace) -> int:
    """Write it; 0, or 2 when a file cannot be read or written."""
    return exit_code_of(lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    from backend.forensics.wording import plural
    from workers.cli.evidence_files import find_evidence_files
    from workers.cli.exit_codes import EXIT_DONE, EXIT_USAGE
    from workers.cli.progress_line import ProgressLine
    from workers.cli.read_evidence import chosen_limits
    from workers.cli.usage import complain
    from workers.decode.anonymise.bundle import write_bundle
    from workers.decode.anonymise.pseudonyms import Pseudonyms
    from workers.decode.frame_places import NotWalkable
    from workers.decode.messages.reader import Scratch

    key, limits, scratch = _key(arguments.key_file), chosen_limits(), Scratch()
    line = ProgressLine(sys.stderr)
    originals = _originals(find_evidence_files(arguments.files, hosts={}, times_ns={}), scratch.path, line)
    if not originals:
        complain("none of the files could be read, so nothing was written.")
        return EXIT_USAGE
    line.begin("anonymizing")
    try:
        made = write_bundle(
            originals, Path(arguments.out), Pseudonyms(key), scratch.path, limits, lambda _: None
        )
    except NotWalkable as error:
        complain(f"a capture cannot be anonymized: {error}.")
        return EXIT_USAGE
    finally:
        line.clear()
    held = f"{plural(made.files, 'file')}, {plural(made.frames, 'frame')}, {plural(made.bytes, 'byte')}"
    print(f"{arguments.out}: {held}")
    return EXIT_DONE


def _originals(files: Sequence[EvidenceFile], scratch: Path, line: object) -> list[Original]:
    """What can be read, decoded where it is a capture; the rest is reported on standard error."""
    from backend.errors import StallscopeError
    from workers.cli.progress_line import ProgressLine
    from workers.cli.read_evidence import opened_files
    from workers.cli.usage import complain

    assert isinstance(line, ProgressLine)
    found = []
    for number, file in enumerate(opened_files(files, scratch, line, complain)):
        line.begin(f"reading {file.name}")
        try:
            found.append(_original(file, scratch / f"file-{number}"))
        except StallscopeError as error:
            line.clear()
            complain(f"{file.name}: {error.sentence}")
    return found


def _original(file: EvidenceFile, folder: Path) -> Original:
    from functools import partial

    from workers.cli.read_evidence import chosen_limits
    from workers.decode.anonymise.bundle import Original
    from workers.decode.frames.plain import plain_capture
    from workers.pipeline import ingest_file

    limits = chosen_limits()
    ingested = ingest_file(file.path, name=file.name, folder=folder, limits=limits)
    if ingested.capture is None:
        return Original("dump", lambda: file.path, folder, file.origin)
    plain = partial(plain_capture, file.path, folder / "plain.capture", limits)
    return Original("capture", plain, folder, file.origin)


def _key(path: str | None) -> bytes:
    """Of a file, or a new one."""
    if path is None:
        return os.urandom(KEY_BYTES)
    file = Path(path)
    if not file.exists():
        file.touch(mode=0o600)
        file.write_bytes(os.urandom(KEY_BYTES))
    key = file.read_bytes()
    if len(key) < KEY_BYTES:
        raise WrongUsage(f"{path} holds {len(key)} bytes; a key has {KEY_BYTES} or more.")
    return key
