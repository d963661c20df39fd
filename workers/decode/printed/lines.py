"""Lines of a text that tcpdump or tshark printed, separated from all others, and put together into packets.

01:11:43.486943 eth0  In  IP 10.0.0.1.41358 > 10.0.0.2.80: Flags [S], seq 345145544, win 64240, length 0
2026-11-21 01:11:43.4 02:00:00:00:00:01 > 02:00:00:00:00:02, ethertype IPv4 (0x0800), length 74: 10.0.0.1.4 > …
    1   0.000000 10.0.0.1 → 10.0.0.2 TCP 74 41358 → 80 [SYN] Seq=0 Win=64240 Len=0

A packet may go on over several lines: verbose output, bytes in hexadecimal, the inside of a tunnel, and whatever mail
and chat broke.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from workers.decode.dumps.session_lines import read_session_line

_MOST_SECTIONS: Final = 64
"""More are noise; their packets join the last."""
LONGEST: Final = 4_096
"""Characters; no printed packet is longer."""
_MOST_LINES: Final = 600
"""Of one packet: 64 KiB in hexadecimal are 4,096 lines, of which the first hold every header."""

CLOCK: Final = r"(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|\d{9,10}\.\d{1,9}"
MAC: Final = r"(?:[0-9a-fA-F]{1,2}:){5}[0-9a-fA-F]{1,2}"
_ARROWS: Final = (b" > ", b" -> ")
_ARROW: Final = "\u2192".encode()
_PROTOCOLS: Final = (b"DNS", b"TCP", b"UDP", b"HTTP", b"ICMP")
_SIGN_BYTES: Final = 8
"""Longer than any sign of a packet: one may lie across two pieces."""
_PIECE_BYTES: Final = 1 << 18
"""What fits into the processor's cache with its masks."""
_PROTOCOL = re.compile(rb"[ \t](?:%s)[ \t]" % b"|".join(_PROTOCOLS))
_BEGIN = re.compile(
    rf"\s{{0,4}}(?:(?:{CLOCK})\s{{1,3}})?(?:\S{{1,24}}\s{{1,12}}(?=(?:In|Out|B|M|P)\s))?(?:(?:In|Out|B|M|P)\s{{1,3}})?"
    r"(?:ip6?: (?=\S{1,300} >|\()|"
    rf"IP6? (?=\S{{1,300}} >|\()|ARP,? |(?:{MAC}|ifindex \d{{1,9}} {MAC})(?: \([^)]{{1,60}}\))? (?:> |ethertype ))"
)
_BARE = re.compile(rf"\s{{0,4}}(?:{CLOCK})\s{{1,3}}(?:[0-9a-fA-F:.]{{3,45}} > [0-9a-fA-F:.]{{3,45}}: )")
_ENDS_ALONE = re.compile(
    r"[0-9a-fA-F:.]{3,45} > [0-9a-fA-F:.]{3,45}: Flags \[|"
    r"\t?[A-Za-z0-9][\w.-]{1,63} > [A-Za-z0-9][\w.-]{1,63}: ICMP (?:echo re|(?:ip )?reassembly time|time exceeded)"
)
"""Somebody left out the time and the protocol."""
_SECOND = re.compile(
    r"\s{2,8}[0-9a-fA-F:.]{3,45} > [0-9a-fA-F:.]{3,45}: (?:Flags \[|\[(?:bad udp cksum|udp sum ok|no cksum))"
)
"""The second line of a packet (`-v`) with which a text begins."""
COLUMNS: Final = (
    r"\s{0,12}(?P<number>\d{1,12})\s{1,8}"
    r"(?P<clock>(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\.\d{1,9}|-?\d{1,10}\.\d{1,9})\s{1,8}"
    r"(?:\d{1,10}\.\d{1,9}\s{1,8}){0,2}(?P<source>\S{2,60})(?:\s{1,30}(?:→|->)\s{1,4}(?P<named>\S{2,60})\s{1,30}"
    r"(?P<protocol>\S{1,20})|\s{1,30}(?P<copied>\S{2,60})\s{1,30}(?P<capitals>[A-Z]{2}[\w./-]{0,18}))"
    r"\s{1,12}(?P<length>\d{1,6})\s"
)
"""tshark's default columns; Wireshark copies the same without arrow, and with columns of time differences."""
_TSHARK = re.compile(COLUMNS)
_LABEL = re.compile(
    rf"\s{{0,4}}(?:\[(?P<boxed>[A-Za-z][\w.@/-]{{0,60}})\]:?|(?P<name>[A-Za-z][\w.@-]{{0,60}}):)\s{{1,4}}(?={CLOCK})"
)
"""Names of hosts or interfaces that people write before each line."""
_HEX = re.compile(r"\s{0,16}(?:>\s?)?0x[0-9a-fA-F]{4,5}:\s{1,4}[0-9a-fA-F]{2}")
_NOTE = re.compile(
    r"(?:tcpdump: |tcpdump version|libpcap version|listening on |reading from file |Capturing on |Running as user|"
    r"dropped privs to |Warning: interface names|\d{1,12} packets? (?:captured|received|dropped)|"
    r"\d{1,12} packets? (?:by filter|by kernel)|Unable to find user|Got \d|"
    rf"(?:(?:{CLOCK})\s{{1,3}})?(?:STP|LLDP|CDPv\d|Loopback,|EAPOL|LACPv\d|802\.1|IPX|MPLS|PPPoE|IS-IS|ESIS)\b.{{0,300}})"
)
_LEFT_OUT: Final = frozenset(("^C", "^C^C", "...", "[...]", "…", "<snip>", "[snip]", "--"))
"""Behind packets: the end of the run, and what stands for packets that were left out."""
_LISTENING = re.compile(r"(?:tcpdump: )?(?:listening on |Capturing on '?)(?P<name>[^\s,']{1,64})")
_READING = re.compile(r"reading from file ")
_DROPPED = re.compile(r"(\d{1,12}) packets? dropped by kernel")
_TOOL = re.compile(r"(?:^|[\s/;|&(])(?:tcpdump|tshark)\b")
_TOOL_INTERFACE = re.compile(r"\s(?:-i|--interface)[= ]?([^\s'\"]{1,64})|\s-\w{0,12}i ?([a-z][^\s'\"]{1,63})")
_QUOTE = re.compile(r"(?:\s{0,3}>\s?)+(?=\S)|\s{0,3}(?:>\s?)+$")
_TUNNEL_END = re.compile(
    r"(?:VXLAN|OTV|VXLAN-GPE), flags \[.{1,80}(?:vni|instance) \d{1,8}:?\s*$|Geneve.{1,300}:\s*$"
)
_ENDED = re.compile(
    r"\blength:? \d|\(\d{1,5}\)\s*$|ICMP|\bArp\b|\bis-at\b|\bip-proto|ESP\(|\bigmp|\b[Ll]en[=:]? ?\d"
)
_NO_PORTS = re.compile(r"\(tos |\(flowlabel |\(class |\(hlim ")


def may_hold_packets(text: bytes) -> bool:
    """False where no line of the text (UTF-8) can be of a printed packet; far quicker than reading its lines."""
    pieces = range(0, max(len(text), 1), _PIECE_BYTES)
    return any(_may_hold_packets(text[at : at + _PIECE_BYTES + _SIGN_BYTES]) for at in pieces)


def _may_hold_packets(piece: bytes) -> bool:
    # One byte is found at the speed of memory; a fixed text at a tenth of that, a pattern at a hundredth.
    if b">" in piece and any(arrow in piece for arrow in _ARROWS):
        return True
    if b"\xe2" in piece and _ARROW in piece:
        return True
    if not _may_end_protocol(piece):
        return False
    if b"ARP, " in piece:
        return True
    return any(name in piece for name in _PROTOCOLS) and _PROTOCOL.search(piece) is not None


def _may_end_protocol(piece: bytes) -> bool:
    """Whether a P, Q, R or S (the names of protocols end in P or S) stands before a blank or a comma."""
    codes = np.frombuffer(piece, np.uint8)
    found = (codes[:-1] | 3) == ord("S")
    found &= codes[1:] <= ord(",")
    return bool(found.any())


@dataclass
class Section:
    """Packets in a row of one run of the program."""

    number: int
    line: int
    interface: str = ""
    host: str = ""
    dropped: int | None = None


@dataclass
class PrintedPacket:
    """One packet as printed. `number` is the line (1-based) it begins in."""

    number: int
    section: Section
    text: str
    more: list[str] = field(default_factory=list)
    hexadecimal: list[str] = field(default_factory=list)
    inner: str = ""
    """The packet inside a tunnel, which stands in a line of its own."""
    lines: int = 1

    @property
    def whole(self) -> str:
        """All lines as one."""
        return f"{self.text}{''.join(self.more)}" if self.more else self.text

    def is_whole(self) -> bool:
        """Whether its end was seen: a line that mail or chat broke goes on in the next."""
        begun = max(self.text.find(": Flags ["), 0)
        return _ENDED.search(self.text, begun) is not None and not _is_header_alone(self)


def _is_header_alone(packet: PrintedPacket) -> bool:
    """`-v` prints the header of IPv4 in a line and what is inside in the next."""
    return (
        not packet.more
        and " > " not in packet.text.rpartition(")")[2]
        and bool(_NO_PORTS.search(packet.text))
    )


@dataclass
class Grouper:
    """Distinguishes lines; `others` are those that are not of a packet, with their numbers."""

    sections: list[Section] = field(default_factory=list)
    understood: bytearray = field(default_factory=bytearray)
    """Beside the lines: 1 where it is of a printed packet, or of the program that printed it."""
    _interface: str = ""
    _host: str = ""
    _fresh: bool = True
    _unread: bool = False
    _noted: bool = False
    _last_clock: str = ""
    _labelled: dict[str, Section] = field(default_factory=dict)

    def packets(self, lines: Iterable[str]) -> Iterator[PrintedPacket]:
        """Each packet of the lines, in their order."""
        pending: PrintedPacket | None = None
        mark = self.understood.append
        for number, given in enumerate(lines, 1):
            line = given[:LONGEST]
            if ">" in line[:4]:
                line = line[_quote_end(line) :]
            begun = self._begun(line, number, pending)
            if begun is not None:
                if pending is not None:
                    yield pending
                pending = begun
                mark(1)
            elif pending is not None and self._goes_on(pending, line):
                pending.lines += 1
                mark(1)
            else:
                if pending is not None:
                    yield pending
                    pending = None
                mark(self._other(line))
        if pending is not None:
            yield pending

    def _follows(self, line: str, before: PrintedPacket) -> bool:
        """Whether a packet of the same section begins in the line: quicker, for what most texts consist of. False
        decides nothing."""
        if self._fresh or self._unread or before.more or before.inner or "length" not in before.text[-16:]:
            return False
        return line[2:3] == ":" and line[15:19] == " IP " and " > " in line[19:90]

    def _begun(self, line: str, number: int, before: PrintedPacket | None) -> PrintedPacket | None:
        """The packet that begins in the line, None where none does."""
        if before is not None and self._follows(line, before):
            self._last_clock = line[:15]
            return PrintedPacket(number, self.sections[-1], line)
        if is_begin(line):
            if before is not None and _takes(before, line):
                return None
            return PrintedPacket(number, self._section_of(line, number), line)
        if before is None and line[:1] == " " and _SECOND.match(line):
            return PrintedPacket(number, self._section_of(line, number), line.strip())
        label = _LABEL.match(line)
        if label is None or not is_begin(line[label.end() :]):
            return None
        section = self._section_named(label["boxed"] or label["name"], number)
        return PrintedPacket(number, section, line[label.end() :])

    def _goes_on(self, packet: PrintedPacket, line: str) -> bool:
        """Whether the line is of the packet before; takes it then."""
        if packet.lines >= _MOST_LINES or not line or line.isspace():
            return bool(line) and line[0] == "\t" and bool(packet.more)
        if _HEX.match(line):
            packet.hexadecimal.append(line)
            return True
        if is_begin(line) and not _is_header_alone(packet):
            packet.inner = line
            return True
        if packet.inner or packet.hexadecimal:
            if line[0] in " \t" and packet.inner and not packet.hexadecimal:
                packet.inner += " " + line.strip()
            return line[0] in " \t"
        if line[0] not in " \t" and (packet.is_whole() or _NOTE.match(line) or read_session_line(line)):
            return False
        # Messages are printed line by line behind the length; what comes before it was broken by mail or chat.
        between = "\n" if line[0] == "\t" and packet.more and _ENDED.search(packet.more[0]) else " "
        packet.more.append(between + line.strip())
        return True

    def _other(self, line: str) -> int:
        """Notes of the program are understood; prompts say where the next packets come from."""
        if not line or line.isspace():
            return 0
        if self._noted and line[0] == "\t":
            return 1  # fields of a packet that is no IP
        note = _NOTE.match(line)
        self._noted = note is not None
        if note is not None or (self.sections and line.strip() in _LEFT_OUT):
            self._note(line)
            return 1
        said = read_session_line(line)
        if said is None:
            self._unread = True
            return 0
        self._host = said.host or self._host
        if _TOOL.search(said.command):
            self._fresh = True
            named = _TOOL_INTERFACE.search(said.command)
            self._interface = (named[1] or named[2]) if named else ""
        return 0

    def _note(self, line: str) -> None:
        listening = _LISTENING.match(line)
        dropped = _DROPPED.match(line)
        if listening or _READING.match(line):
            self._fresh = self._fresh or bool(self.sections)
            if listening:
                self._interface = listening["name"]
        elif dropped and self.sections:
            self.sections[-1].dropped = int(dropped[1])

    def _section_named(self, name: str, number: int) -> Section:
        """Lines of several hosts may stand in any order: each host is a section of its own."""
        section = self._labelled.get(name)
        if section is None:
            section = self._labelled[name] = Section(len(self.sections) + 1, number, "", name)
            self.sections.append(section)
            self._fresh = True
        return section

    def _section_of(self, line: str, number: int) -> Section:
        clock = _clock_of(line) if self._unread or self._fresh else ""
        back = self._unread and clock and self._last_clock and clock < self._last_clock
        if self._fresh or not self.sections or back:
            self.sections.append(Section(len(self.sections) + 1, number, self._interface, self._host))
        self._fresh = self._unread = False
        self._last_clock = _clock_of(line)
        return self.sections[-1]


def _takes(packet: PrintedPacket, line: str) -> bool:
    """Whether a line that may begin a packet goes on: inside a tunnel, or below a header that lost its indentation."""
    return _goes_inside(packet) or (_is_header_alone(packet) and _ENDS_ALONE.match(line) is not None)


def _goes_inside(packet: PrintedPacket) -> bool:
    last = packet.more[-1] if packet.more else packet.text
    if packet.inner or ("lags [" not in last and "Geneve" not in last) or "length" in last[-16:]:
        return False  # nearly all
    return _TUNNEL_END.search(last) is not None


def _quote_end(line: str) -> int:
    quote = _QUOTE.match(line)
    return quote.end() if quote else 0


def _clock_of(line: str) -> str:
    """The clock's text where it can be compared with another of the same form: not of differences, which are set in."""
    end = 0 if line[:1] == " " else line.find(" ")
    return line[:end] if end > 7 and line[2:3] in ":0123456789" else ""


def is_begin(line: str) -> bool:
    """Whether a packet begins in the line."""
    if line[2:3] == ":" and line[15:19] == " IP " and " > " in line[19:90]:
        return True  # what most texts consist of
    if _BEGIN.match(line) is not None or is_tshark(line):
        return True
    return " > " in line and (_BARE.match(line) or _ENDS_ALONE.match(line)) is not None


def begins_packet(line: str) -> bool:
    """The same of a line before which somebody may have written the host's name."""
    label = _LABEL.match(line)
    return is_begin(line if label is None else line[label.end() :])


def is_tshark(line: str) -> bool:
    """Whether it is of tshark's columns."""
    return _TSHARK.match(line) is not None


def capture_number(section: Section) -> int:
    """Which of the captures of a text (from 1) the packets of a section are in."""
    return min(section.number, _MOST_SECTIONS)
