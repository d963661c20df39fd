"""Questions behind a link that hides something, in the words of the data: what is not shown is not asked for."""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from backend.errors import InvalidRequest, NotFound
from backend.services.redaction.declared import Asked, Declared
from backend.services.redaction.names import Names
from backend.services.redaction.place import Place
from backend.services.redaction.shared_filter import shared_filter
from backend.services.scope import NOT_SHARED

_SEARCHES: Final = (Asked.ENDPOINT_SEARCH, Asked.PAYLOAD_SEARCH)
_BY_NAME: Final = (Asked.NAME, *_SEARCHES)
_BY_ADDRESS: Final = ("client", "server", "nat_client", "nat_server")
_METHODS: Final = ("", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE")
_NOT_BY_WORDS: Final = (
    "This link hides the words of messages: look for an address or a port, or a name as it is shown."
)


def file_by_name(place: Place, names: Names) -> Place:
    """Files are asked for by the names shown, or by their ids; hidden names open nothing."""
    shown = place.parameters.get("file_id")
    if shown is None or not names.hiding.addresses:
        return place
    origin = names.origin(shown)
    if origin is None and not re.fullmatch(r"[0-9a-f]{1,32}", shown):
        raise NotFound(NOT_SHARED)
    return place if origin is None else place.with_parameter("file_id", origin)


def query_by_names(declared: Declared, query: str, names: Names) -> str:
    """The query of an endpoint without what it does not declare; raises InvalidRequest for what could be a guess."""
    asked = parse_qsl(query, keep_blank_values=True)
    known = [(key, value, declared.asked.get(key)) for key, value in asked]
    return urlencode(
        [(key, _asked(kind, value, names)) for key, value, kind in known if kind is not None], quote_via=quote
    )


def _asked(kind: Asked, value: str, names: Names) -> str:
    hiding = names.hiding
    if kind is Asked.ORDER and value in _BY_ADDRESS and hiding.addresses:
        raise InvalidRequest(
            "This link shows other names: their order would show the order of the addresses."
        )
    if kind is Asked.METHOD and hiding.payload and value not in _METHODS:
        raise InvalidRequest(_NOT_BY_WORDS)
    if kind is Asked.FILTER and value.strip():
        return shared_filter(value, lambda name: _origin(name, names), hiding)
    if kind is Asked.REQUEST_LINE and hiding.payload:  # a method and a path, as an answer showed them
        return " ".join(word if word.isupper() else _origin(word, names) for word in value.split(" "))
    if kind in _BY_NAME:
        return _by_name(kind, value, names)
    return value


def _by_name(kind: Asked, value: str, names: Names) -> str:
    if names.hiding.addresses:
        # A number that is looked for anywhere would be found in addresses: a port ends an endpoint.
        return f":{value} " if kind in _SEARCHES and value.isdecimal() else _origin(value, names)
    is_word = kind is Asked.PAYLOAD_SEARCH and not _is_endpoint(value)
    return _origin(value, names) if is_word else value


def _is_endpoint(value: str) -> bool:
    """An address, a port, or both, or the beginning of them."""
    if re.fullmatch(r"[\d.]*(?::\d*)?", value):
        return True
    try:
        ipaddress.ip_address(value.strip("[]"))
    except ValueError:
        return False
    return True


def _origin(value: str, names: Names) -> str:
    """The words of the data for a filter; what is no name shown here could be guessed with, and is refused."""
    if not value or value.isdecimal():
        return value
    head, mark, tail = re.fullmatch(r"(.*?)([:#]?)(\d*)", value, re.DOTALL).groups()  # type: ignore[union-attr]
    for name, rest in ((value, ""), (head, mark + tail)):
        origin = names.origin(name)
        if origin is not None:
            return origin + rest
    if value.startswith("kernel:") and names.origin(value.removeprefix("kernel:")):
        return f"kernel:{names.origin(value.removeprefix('kernel:'))}"
    if not names.hiding.addresses:
        raise InvalidRequest(_NOT_BY_WORDS)
    raise InvalidRequest("This link shows other names: filter by a name as it is shown, or by a port.")
