"""What must be settled before the server listens to others."""

from __future__ import annotations

from dataclasses import dataclass

from backend.access.manage_members import ensure_admin
from backend.access.passwords import LONGEST, SHORTEST
from backend.access.provider_settings import identity_provider
from backend.access.public_addresses import needs_sign_in
from backend.access.secret_setting import secret_setting
from backend.errors import WrongSetting
from backend.settings import Settings
from backend.storage.store import Store


@dataclass(frozen=True)
class SignInMethods:
    """How people may sign in."""

    required: bool
    """False where only the users of this machine reach the server."""
    password: bool
    provider: str
    """Host of the identity provider; empty for none."""


def sign_in_methods(settings: Settings) -> SignInMethods:
    """What the settings offer; nothing where nobody has to sign in."""
    if not needs_sign_in(settings):
        return SignInMethods(False, False, "")
    provider = identity_provider(settings)
    return SignInMethods(True, bool(admin_password(settings)), provider.host if provider else "")


def check_sign_in_settings(settings: Settings) -> None:
    """Raises WrongSetting when others could reach the server and nobody could sign in."""
    if not needs_sign_in(settings):
        return
    password, provider = admin_password(settings), identity_provider(settings)
    if not password and provider is None:
        raise WrongSetting(
            "Listening for others than this machine needs sign-in: set STALLSCOPE_ADMIN_PASSWORD (or "
            "STALLSCOPE_ADMIN_PASSWORD_FILE), or STALLSCOPE_OIDC_ISSUER with STALLSCOPE_OIDC_CLIENT_ID and "
            "STALLSCOPE_OIDC_CLIENT_SECRET."
        )
    if not password and provider is not None and not settings.oidc_admins.strip():
        raise WrongSetting(
            "Nobody could be an admin: set STALLSCOPE_OIDC_ADMINS or STALLSCOPE_ADMIN_PASSWORD."
        )


def prepare_sign_in(store: Store) -> None:
    """Store the admin's password as a hash, where there is one."""
    password = admin_password(store.settings)
    if needs_sign_in(store.settings) and password:
        ensure_admin(store, password)


def admin_password(settings: Settings) -> str:
    """From the setting or the file that it names; empty for none. Raises WrongSetting."""
    password = secret_setting(
        settings.admin_password, settings.admin_password_file, "STALLSCOPE_ADMIN_PASSWORD"
    )
    if password and not SHORTEST <= len(password) <= LONGEST:
        raise WrongSetting(
            f"STALLSCOPE_ADMIN_PASSWORD has {len(password)} characters; {SHORTEST} are the fewest, {LONGEST} the most."
        )
    return password
