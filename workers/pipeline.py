"""From a file to its tables, and from the tables of an investigation to its report.

Both the command line and the jobs go this way, so that the web page and `analyze` say the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from backend.errors import Cancelled, NoEvidence, TooCostly, UnreadableInput
from backend.forensics.analyze import Analysis, analyse_evidence
from backend.forensics.captures import Capture
from backend.forensics.credential_text import hold_credentials
from backend.forensics.detection.run import OnProgress
from backend.forensics.dumps import Dump
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.findings import rfc3339
from backend.forensics.isolation import Isolation
from backend.forensics.printed_lines import printed_places, with_printed_lines
from backend.forensics.private_words import composed_texts, listed_parts
from backend.forensics.report import CheckedPart, InputPart, Report, VantagePointPart
from backend.forensics.wording import plural
from backend.limits import Limits
from backend.storage import write_tables
from backend.storage.analysis_tables import write_analysis_tables
from workers.decode.bundles import LISTED
from workers.decode.captures import DecodeCancelled, DecodeProgress, decode_capture
from workers.decode.identify import identify_file
from workers.decode.left_out import LeftOut
from workers.decode.open_source import open_source
from workers.ingested import Ingested, save_ingested

if TYPE_CHECKING:
    from workers.decode.dumps.text import Text

READ_BYTES = 1 << 18
"""Larger blocks cost more: the memory of each copy is given back and fetched anew."""
DUMP_LIMIT_BYTES = 256 << 20
"""A dump is read whole; a larger text is refused with this size named."""
OBJECTS_LIMIT_BYTES = 1 << 30
"""A text that begins with JSON objects is read object by object."""
OBJECTS_BEGIN_BYTES = 4096
UNKNOWN_TEXT = "text"
"""Kind of a text of which no line is recognized."""
VANTAGE_POINTS_AT_MOST = 4_096
"""Of all captures of one analysis: each is compared with all packets of interest. 200 rotated files of a node with
ten interfaces have 2,000."""

Progress = Callable[[DecodeProgress], None]


def hash_file(path: Path) -> str:
    """SHA-256 of the file's bytes as they are, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while block := handle.read(READ_BYTES):
            digest.update(block)
    return digest.hexdigest()


def ingest_file(
    path: Path,
    *,
    name: str,
    folder: Path | None,
    sha256: str | None = None,
    host: str | None = None,
    captured_at_ns: int | None = None,
    keep_packets: bool = True,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> Ingested:
    """Decode a capture or parse a dump, and keep the tables in `folder` (None keeps nothing). `sha256` is the
    file's where it is known.

    A bundle is for `left_out.open_bundle`. Raises UnreadableInput with a sentence for the user, Cancelled when
    `cancelled` says so."""
    identified = identify_file(path)
    if identified.kind == "bundle":
        raise UnreadableInput(f"a {identified.format} archive. Nothing of it was used.")
    if identified.kind == "unknown":
        raise NoEvidence(f"not a capture or a dump, but {identified.reason}. Nothing of it was used.")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    if identified.kind == "text":
        digest = sha256 or hash_file(path)
        result = _ingest_dump(path, identified.compression, name, digest, host, captured_at_ns, limits)
    else:
        packets = folder / "packets.parquet" if folder is not None and keep_packets else None
        try:
            capture = decode_capture(
                path,
                name=name,
                sha256=sha256,
                packets_path=packets,
                messages_folder=folder,
                progress=progress,
                cancelled=cancelled,
                limits=limits,
            )
        except DecodeCancelled as error:
            raise Cancelled(str(error)) from error
        result = Ingested(_capture_part(replace(capture, host=host)), replace(capture, host=host), ())
    if folder is not None:
        save_ingested(result, folder)
    return result


def _capture_part(capture: Capture) -> InputPart:
    points = [
        VantagePointPart(
            id=f"{capture.name}#{p.index}", name=p.name, link_type=p.link_type, packets=p.packets
        )
        for p in capture.vantage_points
    ]
    undecoded = [
        f"{plural(count, 'frame')} not decoded: {why}"
        for why, count in sorted(capture.undecoded.items())
        if why != "ARP"  # its answers are read, its requests miss nothing
    ]
    return InputPart(
        name=capture.name,
        sha256=capture.sha256,
        kind="capture",
        format=capture.format,
        packets=capture.packets,
        bytes=capture.bytes,
        first=rfc3339(capture.first_ns) if capture.packets else None,
        last=rfc3339(capture.last_ns) if capture.packets else None,
        host=capture.host,
        vantage_points=points,
        warnings=[*capture.warnings, *undecoded],
        error=capture.error,
        holds_credentials=bool(capture.credentials),
    )


def _ingest_dump(
    path: Path,
    compression: str,
    name: str,
    sha256: str,
    host: str | None,
    captured_at_ns: int | None,
    limits: Limits,
) -> Ingested:
    # Regular expressions compile only when a dump is given.
    from workers.decode.dumps import read_dumps
    from workers.decode.warm import ensure_compiled

    ensure_compiled()
    size = path.stat().st_size
    damage: list[str] = []
    text, found = read_dumps(_blocks_of(path, compression, limits, damage))
    dumps = [_given_time(dump, captured_at_ns) for dump in found]
    if not dumps:
        dumps = [_of_no_format(text)]
    own = dict.fromkeys(w for d in dumps for w in d.warnings)  # a series has the same one again and again
    times = [(d.captured_at_ns, d.captured_at_basis) for d in dumps if d.captured_at_ns is not None]
    part = InputPart(
        name=name,
        sha256=sha256,
        kind="dump",
        format="+".join(dict.fromkeys(d.kind for d in dumps)),
        bytes=size,
        host=host or _stated_host(dumps),
        captured_at=rfc3339(times[0][0]) if times and times[0][0] is not None else None,
        captured_at_basis=times[0][1] if times else "unknown",
        lines=sum(d.lines for d in dumps),
        lines_not_understood=sum(len(d.lines_not_understood) for d in dumps),
        holds_credentials=any(dump.holds_credentials for dump in dumps)
        or hold_credentials(item for item in text.items if isinstance(item, str)),
        warnings=[*damage, *_latin_lines(text.latin_lines), *own, *_strange_lines(dumps)],
    )
    return Ingested(part, None, tuple(dumps))


def _of_no_format(text: Text) -> Dump:
    """A text of which no line is recognized, as a listing that says so."""
    from workers.decode.dumps.resembling import describe_unknown

    lines = [item for item in text.items if isinstance(item, str)]
    filled = [number for number, line in enumerate(lines, 1) if line.strip()]
    if not filled:
        raise NoEvidence("a text of blank lines. Nothing of it was used.")
    return Dump(UNKNOWN_TEXT, text.lines, tuple(filled), warnings=describe_unknown(lines))


def _blocks_of(path: Path, compression: str, limits: Limits, damage: list[str]) -> Iterator[bytes]:
    """The unpacked bytes; what is to be said about their end goes to `damage`."""
    from workers.decode.objects.documents import may_hold_documents

    piece, read, allowed = bytearray(READ_BYTES), 0, DUMP_LIMIT_BYTES
    with open_source(path, compression, limits) as source:
        while count := source.read_into(memoryview(piece)):
            block = bytes(memoryview(piece)[:count])
            if not read and may_hold_documents(block[:OBJECTS_BEGIN_BYTES]):
                allowed = OBJECTS_LIMIT_BYTES
            read += count
            if read > allowed:
                raise UnreadableInput(f"a text of more than {allowed >> 20} MiB. Nothing of it was used.")
            yield block
        if source.damage:
            damage.append(f"The text is cut short: {source.damage}. The part before was read.")


def _stated_host(dumps: Sequence[Dump]) -> str | None:
    """The machine that the text names, if it names one and no other."""
    hosts = {dump.host for dump in dumps if dump.host}
    return hosts.pop() if len(hosts) == 1 else None


def _given_time(dump: Dump, captured_at_ns: int | None) -> Dump:
    """A time in the text counts more than one that the uploader gives."""
    if captured_at_ns is None or dump.captured_at_ns is not None:
        return dump
    return replace(dump, captured_at_ns=captured_at_ns, captured_at_basis="given")


def _latin_lines(lines: Sequence[int]) -> list[str]:
    if not lines:
        return []
    return [f"{_lines(len(lines))} not in UTF-8, read as Latin-1: {_listed(lines)}"]


def _strange_lines(dumps: Sequence[Dump]) -> list[str]:
    lines = sorted(n for d in dumps for n in d.lines_not_understood)
    return [f"{_lines(len(lines))} not understood: {_listed(lines)}"] if lines else []


def _lines(count: int) -> str:
    return plural(count, "line")


def _listed(lines: Sequence[int]) -> str:
    return ", ".join(map(str, lines[:20])) + (" …" if len(lines) > 20 else "")


def _on_their_hosts(ingested: Sequence[Ingested]) -> list[Ingested]:
    """One folder or bundle is one host: where its files name one, the others are of that, too."""
    named: dict[str, set[str]] = {}
    for each in ingested:
        named.setdefault(each.origin, set()).update([each.part.host] if each.part.host else [])
    placed = []
    for each in ingested:
        hosts = named[each.origin]
        if each.origin and each.part.host is None and len(hosts) == 1:
            host = next(iter(hosts))
            capture = replace(each.capture, host=host) if each.capture is not None else None
            part = each.part.model_copy(update={"host": host})
            each = replace(each, part=part, capture=capture)
        placed.append(each)
    return placed


def _dump_inputs(ingested: Sequence[Ingested]) -> list[DumpInput]:
    """With their hosts; of several folders or bundles that name none, each counts as a host of its own."""
    nameless = {each.origin for each in ingested if each.origin} - {
        each.origin for each in ingested if each.part.host
    }
    return [
        DumpInput(
            each.part.name,
            each.part.host or (each.origin if each.origin in nameless and len(nameless) > 1 else None),
            dump,
        )
        for each in ingested
        for dump in each.dumps
    ]


def analyse(
    ingested: Sequence[Ingested],
    *,
    left_out: LeftOut = LeftOut(),  # noqa: B008 - frozen
    label: str,
    created: str,
    tool_version: str,
    folder: Path | None,
    on_progress: OnProgress | None = None,
    isolation: Isolation | None = None,
) -> Report:
    """The report on all files; with a folder, also `report.json` and the tables of connections there.

    Raises TooCostly for more vantage points than are compared."""
    _refuse_too_many_vantage_points(ingested)
    ingested = _on_their_hosts(ingested)
    analysis = analyse_evidence(
        [i.capture for i in ingested if i.capture is not None],
        _dump_inputs(ingested),
        [i.part for i in ingested],
        label=label,
        created=created,
        tool_version=tool_version,
        on_progress=on_progress,
        isolation=isolation,
    )
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        analysis = _with_tables(analysis, folder, isolation or Isolation())
    listed = sorted(left_out.files, key=lambda each: (each.name, each.why))[:LISTED]
    unused = {"not_used": listed, "not_used_total": left_out.total}
    places = printed_places({each.part.name: each.dumps for each in ingested if each.dumps})
    report = with_printed_lines(analysis.report.model_copy(update=unused), places)
    analysis = replace(analysis, report=report)
    if folder is not None:
        keep_report(analysis.report, folder)
    return analysis.report


def _refuse_too_many_vantage_points(ingested: Sequence[Ingested]) -> None:
    count = sum(len(each.part.vantage_points) for each in ingested)
    if count > VANTAGE_POINTS_AT_MOST:
        raise TooCostly(
            f"The captures have {count:,} vantage points (interfaces); the limit of one analysis is "
            f"{VANTAGE_POINTS_AT_MOST:,}. Remove captures from the investigation."
        )


def _with_tables(analysis: Analysis, folder: Path, isolation: Isolation) -> Analysis:
    """Its tables are written; the report says of those that could not be made."""
    said = len(isolation.failed)
    write_analysis_tables(analysis.facts, analysis.findings, analysis.joined, folder, isolation)
    report = analysis.report
    return replace(analysis, report=with_failed(report, isolation.failed[said:]))


def with_failed(report: Report, failed: Sequence[CheckedPart]) -> Report:
    """The report that says so of these parts, too."""
    return report.model_copy(
        update={"checked": sorted((*report.checked, *failed), key=lambda each: each.kind)}
    )


def keep_report(report: Report, folder: Path) -> None:
    """`report.json`, and which of its texts hold somebody's own words."""
    typed = listed_parts(composed_texts(report))
    (folder / write_tables.TYPED_TEXTS).write_text(json.dumps(typed, ensure_ascii=False), encoding="utf-8")
    unfinished = folder / "report.json.part"
    unfinished.write_text(report.model_dump_json(by_alias=True), encoding="utf-8")
    unfinished.rename(folder / "report.json")
