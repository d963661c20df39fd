from __future__ import annotations

import pytest

from backend.access.prepare import check_sign_in_settings
from backend.access.provider_settings import identity_provider, role_of
from backend.access.rights import Role
from backend.errors import WrongSetting
from backend.settings import Settings

WHOLE = {
    "oidc_issuer": "https://id.example/realm/",
    "oidc_client_id": "stallscope",
    "oidc_client_secret": "s",
    "oidc_admins": "ann@example.org, group:sre",
    "oidc_analysts": "@example.org",
    "oidc_viewers": "@partner.example,@sub.example.org",
}


def settings(**changed: str) -> Settings:
    return Settings.model_validate({"host": "0.0.0.0", **WHOLE, **changed})


@pytest.mark.parametrize(
    ("claims", "role"),
    [
        ({"email": "Ann@Example.org", "email_verified": True}, Role.ADMIN),
        ({"email": "ann@example.org", "email_verified": False, "groups": ["staff"]}, None),
        ({"email": "ann@example.org"}, None),
        ({"email": "ann@example.org", "email_verified": "true"}, None),
        ({"email": "bob@example.org", "email_verified": True}, Role.ANALYST),
        ({"email": "bob@evil-example.org", "email_verified": True}, None),
        ({"email": "bob@example.org.evil.example", "email_verified": True}, None),
        ({"email": "bob@sub.example.org", "email_verified": True}, Role.VIEWER),
        ({"email": "example.org", "email_verified": True}, None),
        ({"email": "eve@partner.example", "email_verified": True, "groups": ["sre"]}, Role.ADMIN),
        ({"groups": ["sre-readers", "SRE"]}, None),
        ({"groups": "sre"}, Role.ADMIN),
        ({"groups": {"sre": 1}, "email": ["ann@example.org"], "email_verified": True}, None),
        ({}, None),
    ],
)
def test_the_highest_role_counts_and_only_a_verified_address(
    claims: dict[str, object], role: Role | None
) -> None:
    provider = identity_provider(settings())
    assert provider is not None
    assert role_of(provider, claims) == role


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"oidc_client_secret": ""}, "needs STALLSCOPE_OIDC_CLIENT_SECRET"),
        ({"oidc_issuer": "", "oidc_client_id": ""}, "STALLSCOPE_OIDC_ISSUER and STALLSCOPE_OIDC_CLIENT_ID"),
        ({"oidc_issuer": "http://id.example"}, "https://"),
        ({"oidc_admins": "", "oidc_analysts": " ", "oidc_viewers": ","}, "Nobody may sign in"),
        ({"oidc_admins": ""}, "Nobody could be an admin"),
        ({"oidc_viewers": "everybody"}, "everybody"),
        ({"oidc_viewers": "@"}, "neither"),
    ],
)
def test_half_a_setting_is_told(changed: dict[str, str], problem: str) -> None:
    with pytest.raises(WrongSetting, match=problem):
        check_sign_in_settings(settings(**changed))


def test_a_provider_alone_is_enough_to_start() -> None:
    check_sign_in_settings(settings())
    check_sign_in_settings(settings(oidc_admins="", admin_password="correct horse"))
