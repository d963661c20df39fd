"""Looks into single frames, in the API's words."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasPath, BaseModel, Field

from backend.api.schemas.from_record import FromRecord
from backend.storage.looks import LookKind, LookState

FilterText = Annotated[str, Field(max_length=4000)]


class AskDissection(BaseModel):
    """The protocol tree and the bytes of one frame."""

    kind: Literal["dissection"]
    file: Annotated[str, Field(max_length=300, description="Id or name")]
    frame: Annotated[int, Field(ge=1, le=2**53)]


class AskDisplayFilter(BaseModel):
    """The frames of all captures that match a Wireshark display filter."""

    kind: Literal["display-filter"]
    filter: FilterText


class AskCarving(BaseModel):
    """A pcapng of the packets that a filter lists, that tshark found, or that are a finding's evidence."""

    kind: Literal["carving"]
    filter: FilterText | None = None
    from_ns: Annotated[int | None, Field(description="ns after t0")] = None
    to_ns: Annotated[int | None, Field(description="ns after t0, excluded")] = None
    look: Annotated[str | None, Field(max_length=32, description="A job of a display filter")] = None
    finding: Annotated[str | None, Field(max_length=64)] = None
    instance: Annotated[int | None, Field(ge=1, description="Of the finding, 1-based")] = None
    anonymise: Annotated[bool, Field(description="Pseudonyms for addresses and names, zeroed payload")] = (
        False
    )


class AskAnonymising(BaseModel):
    """A tar.gz of all captures and dumps with pseudonyms for addresses and names and zeroed payload: the
    analysis has the same findings."""

    kind: Literal["anonymising"]


class AskWireshark(BaseModel):
    """Wireshark's view of the packets of a connection or of a finding's evidence; one of the two is given."""

    kind: Literal["wireshark"]
    connection: Annotated[int | None, Field(ge=0, le=2**53)] = None
    finding: Annotated[str | None, Field(max_length=64)] = None
    instance: Annotated[int | None, Field(ge=1, description="Of the finding, 1-based")] = None


AskLook = Annotated[
    AskDissection | AskDisplayFilter | AskCarving | AskAnonymising | AskWireshark, Field(discriminator="kind")
]


def _of_outcome(name: str) -> Any:
    return Field(validation_alias=AliasPath("outcome", name))


class Look(FromRecord):
    """State of a dissection job. When it is done, the result is at `…/dissection`, `…/packets`, `…/wireshark`
    or `…/content`."""

    id: str
    kind: LookKind = Field(validation_alias=AliasPath("request", "kind"))
    state: LookState = _of_outcome("state")
    packets: int
    """That were found, or carved; of a carving under way, that are wanted."""
    bytes: int = _of_outcome("bytes")
    done: int = Field(validation_alias=AliasPath("progress", "done"))
    """Files filtered, or packets carved, of `total`."""
    total: int = Field(validation_alias=AliasPath("progress", "total"))
    problem: str = _of_outcome("problem")
    at: int | None = _of_outcome("at")
    """Of a filter: where tshark does not understand it, in characters."""
    length: int | None = _of_outcome("length")


class TreeNode(BaseModel):
    """A protocol or a field; `begin` to `end` are its bytes in the frame, both 0 for what is not in it."""

    name: str
    text: str
    begin: int
    end: int
    children: list[TreeNode]


class Dissection(BaseModel):
    """One dissected frame, without credentials."""

    input: str
    frame: int
    by: Literal["tshark", "scapy"]
    tree: list[TreeNode]
    tree_cut: bool
    captured_bytes: int
    original_bytes: int
    hex: str
    """Of the first 64 KiB."""
    removed: list[tuple[int, int]]
    """(first byte, end) of credentials that were overwritten."""
