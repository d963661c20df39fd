"""Which addresses are links to an investigation."""

import pytest

from backend.client import read_link

SERVER = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("link", "path", "secret"),
    [
        ("/i/3f2a", "/api/v1/investigations/3f2a", None),
        ("/i/3f2a/timeline?from=1#x", "/api/v1/investigations/3f2a", None),
        ("/api/v1/investigations/3f2a/report", "/api/v1/investigations/3f2a", None),
        ("/s/3f2a#k=se-cret_", "/api/v1/shared/3f2a", "se-cret_"),
        ("/s/3f2a/connections#k=se-cret_", "/api/v1/shared/3f2a", "se-cret_"),
    ],
)
def test_links_of_the_page_and_of_the_api_are_read(link: str, path: str, secret: str | None) -> None:
    read = read_link(SERVER + link)
    assert (read.server, read.path, read.secret) == (SERVER, path, secret)


@pytest.mark.parametrize("link", ["/", "/i/", "/i/../x", "/s/3f2a", "/s/3f2a#x=1", "/api/v1/demo"])
def test_other_addresses_are_refused_without_being_asked(link: str) -> None:
    with pytest.raises(ValueError, match="link"):
        read_link(SERVER + link)
