"""Packets in Wireshark's words: columns, expert information, TCP analysis and application messages, read by pyshark.

tshark runs in the same bounds as for single frames. pyshark's own launcher needs sockets (asyncio) and a fork, which a
process that reads uploaded bytes has given up (decision 0011); its readers of PDML and PSML take what the bounded
program prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from pyshark.tshark.output_parser.tshark_xml import packet_from_xml_packet, psml_structure_from_xml

from backend.errors import TooCostly
from backend.forensics.wireshark import ANALYSIS_FIELDS, DissectedPacket, ExpertNote, Severity
from workers.decode.frames.bounded import Bounds, run_bounded
from workers.decode.frames.message_fields import hides_decrypted, messages_of
from workers.decode.frames.pcapng_file import PcapngFile
from workers.decode.frames.printed_text import PrintedText
from workers.decode.frames.secrets import without_secrets
from workers.decode.frames.stored import frames_at, mapped
from workers.decode.frames.tshark import QUIET

_EXPERT: Final = re.compile(r"(?s)Expert Info \((\w+)/([\w ]+)\): (.*)")
_SEVERITIES: Final = frozenset({"comment", "chat", "note", "warning", "error"})
_CREATOR: Final = re.compile(rb'creator="([^"]{1,80})"')
_NOT_SHOWN: Final = "Decrypted; of this protocol nothing is shown."
_NOTES_OF_A_PACKET: Final = 20


@dataclass(frozen=True)
class SelectedFrames:
    """Frames of one vantage point of a capture: `context` are those that tshark reads, `shown` those that are printed.

    Both ascend. Each connection begins with its first packet and has no gap, so that what follows from earlier packets
    is right."""

    input: str
    clean: Path
    """The plain capture without credentials."""
    context: Sequence[int]
    shown: Sequence[int]


@dataclass(frozen=True)
class Printed:
    """What tshark printed of some frames."""

    program: str
    packets: tuple[DissectedPacket, ...]
    problem: str = ""
    """Why details of some packets are missing."""


def dissect_packets(
    tshark: str, selected: SelectedFrames, key_log: Sequence[bytes], scratch: Path, bounds: Bounds
) -> Printed:
    """The packets in Wireshark's words, without credentials. Raises TooCostly, ProgramFailed."""
    small, keys = scratch / "selected.pcapng", scratch / "keys.log"
    places = _write_frames(selected, small)
    keys.write_bytes(b"".join(line + b"\n" for line in key_log))
    command = [
        tshark,
        *QUIET,
        "-d",
        "udp.port==8472,vxlan",
        "-o",
        f"tls.keylog_file:{keys}",
        "-r",
        str(small),
    ]
    if len(selected.shown) < len(places):
        wanted = frozenset(selected.shown)
        listed = ",".join(str(at) for at, frame in enumerate(places, 1) if frame in wanted)
        command += ["-Y", f"frame.number in {{{listed}}}"]
    text = PrintedText(places)
    columns = _Columns(selected.input, text)
    packets = {
        each.frame: each for each in columns.read(run_bounded([*command, "-T", "psml"], scratch, bounds))
    }
    problem = ""
    try:
        for packet in _packets(run_bounded([*command, "-T", "pdml"], scratch, bounds)):
            frame = text.frame(int(packet.number))
            if frame is not None and frame in packets:
                packets[frame] = _with_details(packets[frame], packet, text, decrypts=bool(key_log))
    except TooCostly as error:
        problem = error.sentence
    return Printed(columns.program, tuple(packets.values()), problem)


def _write_frames(selected: SelectedFrames, small: Path) -> list[int]:
    """Their numbers, in the order of the small file."""
    with mapped(selected.clean) as data, small.open("wb") as file:
        writer = PcapngFile(file)
        numbers = []
        for frame in frames_at(data, selected.context):
            writer.write("capture", replace(without_secrets(frame), options=()))
            numbers.append(frame.number)
    return numbers


def _elements(pieces: Iterable[bytes], name: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(what stood before it, the element) of each element of that name, which has no attributes."""
    begin, end = b"<" + name + b">", b"</" + name + b">"
    rest = bytearray()
    searched = 0
    for piece in pieces:
        rest += piece
        while (stop := rest.find(end, searched)) >= 0:
            start = rest.find(begin, 0, stop)
            yield bytes(rest[:start]), bytes(rest[start : stop + len(end)])
            del rest[: stop + len(end)]
            searched = 0
        searched = max(0, len(rest) - len(end))


def _packets(pdml: Iterable[bytes]) -> Iterator[Any]:
    for _, element in _elements(pdml, b"packet"):
        yield packet_from_xml_packet(element)


class _Columns:
    """Reads the columns of the packet list (PSML)."""

    def __init__(self, name: str, text: PrintedText) -> None:
        self._input = name
        self._text = text
        self.program = "tshark"

    def read(self, psml: Iterable[bytes]) -> Iterator[DissectedPacket]:
        """Each packet with the columns Protocol and Info."""
        structure: Any = None
        for before, element in _elements(psml, b"packet"):
            if structure is None:
                creator = _CREATOR.search(before)
                self.program = creator[1].decode() if creator else self.program
                at = before.find(b"<structure>")
                structure = psml_structure_from_xml(
                    before[at : before.find(b"</structure>") + len(b"</structure>")]
                )
            summary: Any = packet_from_xml_packet(element, psml_structure=structure)
            frame = self._text.frame(int(summary.no))
            if frame is not None:
                info = self._text.cleared(summary.info)
                yield DissectedPacket(self._input, frame, summary.protocol, info, detailed=False)


def _with_details(
    known: DissectedPacket, packet: Any, text: PrintedText, *, decrypts: bool
) -> DissectedPacket:
    is_hidden = decrypts and hides_decrypted(packet)
    return replace(
        known,
        info=_NOT_SHOWN if is_hidden else known.info,
        expert=() if is_hidden else tuple(_expert(packet, text))[:_NOTES_OF_A_PACKET],
        analysis=_analysis(packet),
        messages=messages_of(packet, text, decrypts=decrypts),
        detailed=True,
    )


def _expert(packet: Any, text: PrintedText) -> Iterator[ExpertNote]:
    for layer in packet.layers:
        container = layer.get_field("_ws.expert")
        for field in container.all_fields if container is not None else ():
            found = _EXPERT.fullmatch(field.showname or "")
            if found is not None and found[1].lower() in _SEVERITIES:
                severity = cast(Severity, found[1].lower())
                yield ExpertNote(severity, found[2], text.cleared(found[3]))


def _analysis(packet: Any) -> tuple[str, ...]:
    """Of the innermost TCP header."""
    segments = packet.get_multiple_layers("tcp")
    names = frozenset(segments[-1].field_names) if segments else frozenset()
    return tuple(name for name in ANALYSIS_FIELDS if f"analysis_{name}" in names)
