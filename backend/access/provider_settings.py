"""Settings of the identity provider, and which role a person has by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from backend.access.rights import Role
from backend.access.secret_setting import secret_setting
from backend.errors import WrongSetting
from backend.settings import LOOPBACK_HOSTS, Settings

GROUP = "group:"


@dataclass(frozen=True)
class Provider:
    """One OpenID Connect provider."""

    issuer: str
    client_id: str
    client_secret: str
    scopes: str
    groups_claim: str
    roles: tuple[tuple[Role, tuple[str, ...]], ...]
    """The highest role first, each with whom it is for."""

    @property
    def host(self) -> str:
        """For the button."""
        return urlsplit(self.issuer).netloc

    @property
    def is_local(self) -> bool:
        """On this machine, where plain http and no proxy are right."""
        return urlsplit(self.issuer).hostname in LOOPBACK_HOSTS


def identity_provider(settings: Settings) -> Provider | None:
    """The one of the settings, or None; raises WrongSetting for half of one."""
    secret = secret_setting(
        settings.oidc_client_secret, settings.oidc_client_secret_file, "STALLSCOPE_OIDC_CLIENT_SECRET"
    )
    needed = {"ISSUER": settings.oidc_issuer, "CLIENT_ID": settings.oidc_client_id, "CLIENT_SECRET": secret}
    if not any(needed.values()):
        return None
    absent = [f"STALLSCOPE_OIDC_{name}" for name, value in needed.items() if not value]
    if absent:
        raise WrongSetting(f"Sign-in at an identity provider needs {' and '.join(absent)} too.")
    given = (settings.oidc_admins, settings.oidc_analysts, settings.oidc_viewers)
    roles = tuple(zip((Role.ADMIN, Role.ANALYST, Role.VIEWER), map(_entries, given), strict=True))
    if not any(entries for _, entries in roles):
        raise WrongSetting(
            "Nobody may sign in at the identity provider: say who in STALLSCOPE_OIDC_ADMINS, "
            "STALLSCOPE_OIDC_ANALYSTS or STALLSCOPE_OIDC_VIEWERS."
        )
    provider = Provider(
        settings.oidc_issuer.rstrip("/"),
        settings.oidc_client_id,
        secret,
        settings.oidc_scopes,
        settings.oidc_groups_claim,
        roles,
    )
    if not provider.issuer.startswith("https://") and not provider.is_local:
        raise WrongSetting("STALLSCOPE_OIDC_ISSUER wants an address that begins with https://.")
    return provider


def role_of(provider: Provider, claims: Mapping[str, Any]) -> Role | None:
    """The highest role that the settings give; an e-mail address counts only if the provider has verified it."""
    email = claims.get("email")
    verified = email.casefold() if isinstance(email, str) and claims.get("email_verified") is True else ""
    groups = claims.get(provider.groups_claim)
    if isinstance(groups, str):
        groups = [groups]
    names = {group for group in groups if isinstance(group, str)} if isinstance(groups, list) else set()
    for role, entries in provider.roles:
        if any(_is_meant(entry, verified, names) for entry in entries):
            return role
    return None


def _is_meant(entry: str, email: str, groups: set[str]) -> bool:
    if entry.startswith(GROUP):
        return entry.removeprefix(GROUP) in groups
    if entry.startswith("@"):
        return email.rpartition("@")[2] == entry[1:].casefold() and "@" in email
    return bool(email) and email == entry.casefold()


def _entries(text: str) -> tuple[str, ...]:
    entries: Iterable[str] = (entry.strip() for entry in text.split(","))
    kept = tuple(entry for entry in entries if entry)
    for entry in kept:
        if entry in ("@", GROUP) or not (entry.startswith(GROUP) or "@" in entry):
            raise WrongSetting(
                f"“{entry}” is neither ann@example.org nor @example.org nor group:NAME (STALLSCOPE_OIDC_…)."
            )
    return kept
