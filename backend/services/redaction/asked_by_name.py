"""Questions behind a link that hides something, in the words of the data: what is not shown is not asked for."""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from backend.errors import InvalidRequest, NotFound
from backend.services.redaction.names import Names
from backend.services.redaction.place import NOT_SHARED, Place
from backend.services.redaction.shared_filter import shared_filter

ASKED_BY_NAME: Final = ("q", "address", "prober", "responder", "lane", "input")
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


def query_by_names(place: str, query: str, names: Names) -> str:
    """The query of that place; raises InvalidRequest for a question that could be a guess."""
    asked = parse_qsl(query, keep_blank_values=True)
    return urlencode([(key, _asked(place, key, value, names)) for key, value in asked], quote_via=quote)


def _asked(place: str, key: str, value: str, names: Names) -> str:
    if key == "sort" and value in _BY_ADDRESS and names.hiding.addresses:
        raise InvalidRequest(
            "This link shows other names: their order would tell the order of the addresses."
        )
    if key == "method" and names.hiding.payload and value not in _METHODS:
        raise InvalidRequest(_NOT_BY_WORDS)
    if key == "filter" and value.strip():
        return shared_filter(value, lambda name: _origin(name, names), names.hiding)
    if key == "line" and names.hiding.payload:  # a method and a path, as an answer showed them
        return " ".join(word if word.isupper() else _origin(word, names) for word in value.split(" "))
    if key not in ASKED_BY_NAME:
        return value
    if names.hiding.addresses:
        # A number that is looked for anywhere would be found in addresses: a port ends an endpoint.
        return f":{value} " if key == "q" and value.isdecimal() else _origin(value, names)
    # Of requests, what is looked for may be a word of a message, too.
    is_search = place.startswith("requests") and key == "q" and not _is_endpoint(value)
    return _origin(value, names) if is_search else value


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
