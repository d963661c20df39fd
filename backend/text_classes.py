"""What a text in a result is: by that, and by nothing else, a share link decides how it shows the text.

A field of a result that holds text has one of these types. A plain ``str`` has no class, and no link that hides
anything shows it.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Annotated, Any


class TextClass(Enum):
    """The classes; `backend.services.redaction.typed_answer` holds what a link shows for each."""

    PROSE = auto()
    """A sentence or phrase of this program, perhaps with names and addresses in it."""
    FIXED = auto()
    """One of few words of this program, or several joined by signs: a kind, a cause, a finding's id."""
    ID = auto()
    """Random, counted, or a name that stands for a file."""
    TIME = auto()
    """RFC 3339."""
    ADDRESS = auto()
    """An address, with or without its port; the name of a pod or service."""
    VANTAGE_POINT = auto()
    """Id or name of a vantage point or of a lane of the timeline."""
    FILE_NAME = auto()
    """Of an input."""
    MACHINE = auto()
    """A host, a network interface or a control group, as dumps name it."""
    DUMP = auto()
    """A line or a value of a kernel dump or of a log."""
    PAYLOAD = auto()
    """Words of messages: a method, a path, a host, a program."""
    PACKET_INFO = auto()
    """What a packet is, then perhaps `` · `` and words of the message that begins in it."""
    HEADER_FIELD = auto()
    """A value of a frame's headers."""
    OPAQUE_ADDRESS = auto()
    """Made of addresses or of a file's bytes, in a form that pseudonyms cannot replace: a digest, a filter."""
    OPAQUE_PAYLOAD = auto()
    """Words of messages in such a form: a redirect's target, a trace id."""
    ANALYST = auto()
    """Written by a person to be read by the viewers."""


ProseText = Annotated[str, TextClass.PROSE]
FixedText = Annotated[str, TextClass.FIXED]
IdText = Annotated[str, TextClass.ID]
TimeText = Annotated[str, TextClass.TIME]
AddressText = Annotated[str, TextClass.ADDRESS]
VantageText = Annotated[str, TextClass.VANTAGE_POINT]
FileText = Annotated[str, TextClass.FILE_NAME]
MachineText = Annotated[str, TextClass.MACHINE]
DumpText = Annotated[str, TextClass.DUMP]
PayloadText = Annotated[str, TextClass.PAYLOAD]
PacketInfoText = Annotated[str, TextClass.PACKET_INFO]
HeaderText = Annotated[str, TextClass.HEADER_FIELD]
OpaqueAddressText = Annotated[str, TextClass.OPAQUE_ADDRESS]
OpaquePayloadText = Annotated[str, TextClass.OPAQUE_PAYLOAD]
AnalystText = Annotated[str, TextClass.ANALYST]
ProseValue = Annotated[Any, TextClass.PROSE]
"""A value of any type whose texts, at any depth, are prose."""
