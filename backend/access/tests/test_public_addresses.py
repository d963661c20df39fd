from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.access.prepare import admin_password, check_sign_in_settings
from backend.access.public_addresses import is_for_others, needs_sign_in, public_addresses
from backend.errors import WrongSetting
from backend.settings import Settings


def settings(**given: object) -> Settings:
    return Settings.model_validate(given)


def test_addresses_are_read_as_a_browser_sends_them() -> None:
    given = settings(
        public_url="https://Stallscope.example.org, http://node7:8000/,https://x.example:443,http://[2001:DB8::1]:80"
    )
    assert [address.origin for address in public_addresses(given)] == [
        "https://stallscope.example.org",
        "http://node7:8000",
        "https://x.example",
        "http://[2001:db8::1]",
    ]


@pytest.mark.parametrize(
    "url",
    [
        "stallscope.example.org",
        "ftp://x.example",
        "https://",
        "https://x.example/path",
        "https://a@x.example",
        "https://x.example:port",
        "https://x y",
        "https://*",
    ],
)
def test_anything_else_is_a_wrong_setting(url: str) -> None:
    with pytest.raises(WrongSetting, match="PUBLIC_URL"):
        public_addresses(settings(public_url=url))


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ({}, False),
        ({"host": "localhost"}, False),
        ({"host": "::1", "public_url": "http://localhost:8000"}, False),
        ({"host": "0.0.0.0"}, True),
        ({"host": "::"}, True),
        ({"host": "127.0.0.2"}, True),
        ({"host": "10.1.2.3"}, True),
        ({"host": "127.0.0.1", "public_url": "https://stallscope.example.org"}, True),
    ],
)
def test_only_what_this_machine_alone_reaches_needs_no_sign_in(given: dict[str, str], needed: bool) -> None:
    assert needs_sign_in(settings(**given)) is needed
    if needed:
        with pytest.raises(WrongSetting, match="STALLSCOPE_ADMIN_PASSWORD"):
            check_sign_in_settings(settings(**given))
        check_sign_in_settings(settings(**given, admin_password="correct horse"))
    else:
        check_sign_in_settings(settings(**given))


@pytest.mark.parametrize(
    "given",
    [
        {"admin_password": "correct horse"},
        {"admin_password_file": Path("x")},
        {"oidc_issuer": "https://id.example"},
    ],
)
@pytest.mark.promise("Where a way to sign in is set, nobody is served without it, not even on loopback.")
def test_a_way_to_sign_in_is_never_ignored(given: dict[str, Any]) -> None:
    assert needs_sign_in(settings(**given))
    assert not is_for_others(settings(**given))


@pytest.mark.parametrize(
    ("password", "problem"), [("short12", "7 characters"), ("x" * 1025, "1025 characters")]
)
def test_a_password_too_short_or_too_long_is_told(password: str, problem: str) -> None:
    with pytest.raises(WrongSetting, match=problem):
        admin_password(settings(admin_password=password))
    assert admin_password(settings(admin_password="short123")) == "short123"


def test_a_password_comes_from_a_file_without_its_last_newline(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(" correct horse \n")
    assert admin_password(settings(admin_password_file=file)) == " correct horse "
    file.write_text("\n")
    with pytest.raises(WrongSetting, match="is empty"):
        admin_password(settings(admin_password_file=file))
    with pytest.raises(WrongSetting, match="cannot be read"):
        admin_password(settings(admin_password_file=tmp_path / "absent"))


def test_a_password_is_not_shown_with_the_settings() -> None:
    assert "horse" not in repr(settings(admin_password="correct horse"))
