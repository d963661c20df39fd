"""By which addresses the server may be reached, and whether that calls for sign-in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from backend.errors import WrongSetting
from backend.settings import LOOPBACK_HOSTS, Settings

_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]")


@dataclass(frozen=True)
class PublicAddress:
    """One address of STALLSCOPE_PUBLIC_URL."""

    scheme: str
    host: str
    """As a browser sends it: lower case, with the port unless it is the scheme's own."""

    @property
    def origin(self) -> str:
        """``https://stallscope.example.org``"""
        return f"{self.scheme}://{self.host}"


def public_addresses(settings: Settings) -> tuple[PublicAddress, ...]:
    """Those of the settings; raises WrongSetting."""
    return tuple(_parse(text.strip()) for text in settings.public_url.split(",") if text.strip())


def needs_sign_in(settings: Settings) -> bool:
    """Whether a request must say whose it is: where others reach the server, and wherever a way to sign in is set. A
    proxy on this machine may pass requests on to loopback under loopback's name, so that only the operator knows."""
    has_sign_in = (
        settings.admin_password.get_secret_value() or settings.admin_password_file or settings.oidc_issuer
    )
    return bool(has_sign_in) or is_for_others(settings)


def is_for_others(settings: Settings) -> bool:
    """Whether anybody but the users of this machine is meant to reach the server."""
    names = [urlsplit(address.origin).hostname for address in public_addresses(settings)]
    return any(name not in LOOPBACK_HOSTS for name in (settings.host, *names))


def _parse(text: str) -> PublicAddress:
    wrong = WrongSetting(
        f"STALLSCOPE_PUBLIC_URL wants addresses like https://stallscope.example.org, not “{text}”."
    )
    try:
        parts = urlsplit(text.lower())
        port = parts.port
    except ValueError:
        raise wrong from None
    name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else (parts.hostname or "")
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    beside = parts.path.strip("/") or parts.query or parts.fragment or parts.username
    if usual is None or not _HOST.fullmatch(name) or beside:
        raise wrong
    return PublicAddress(parts.scheme, name if port in (None, usual) else f"{name}:{port}")
