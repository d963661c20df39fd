"""What must be settled before the server listens to others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from backend.access.manage_members import ensure_admin
from backend.access.passwords import LONGEST, SHORTEST
from backend.access.public_addresses import needs_sign_in
from backend.errors import WrongSetting
from backend.settings import Settings
from backend.storage.store import Store

SECRET_FILE_LIMIT_BYTES = 4096


@dataclass(frozen=True)
class WaysIn:
    """How people may sign in."""

    required: bool
    """False where only the users of this machine reach the server."""
    password: bool
    provider: str
    """Host of the identity provider; empty for none."""


def ways_in(settings: Settings) -> WaysIn:
    """What the settings offer; nothing where nobody has to sign in."""
    if not needs_sign_in(settings):
        return WaysIn(False, False, "")
    return WaysIn(True, bool(admin_password(settings)), "")


def check_sign_in_settings(settings: Settings) -> None:
    """Raises WrongSetting when others could reach the server and nobody could sign in."""
    if not needs_sign_in(settings):
        return
    if admin_password(settings):
        return
    raise WrongSetting(
        "Listening for others than this machine needs sign-in: set STALLSCOPE_ADMIN_PASSWORD or "
        "STALLSCOPE_ADMIN_PASSWORD_FILE."
    )


def prepare_sign_in(store: Store) -> None:
    """Store the admin's password as a hash, where there is one."""
    password = admin_password(store.settings)
    if needs_sign_in(store.settings) and password:
        ensure_admin(store, password)


def admin_password(settings: Settings) -> str:
    """From the setting or the file that it names; empty for none. Raises WrongSetting."""
    password = _secret(settings.admin_password, settings.admin_password_file, "STALLSCOPE_ADMIN_PASSWORD")
    if password and not SHORTEST <= len(password) <= LONGEST:
        raise WrongSetting(
            f"STALLSCOPE_ADMIN_PASSWORD has {len(password)} characters; {SHORTEST} are the fewest, {LONGEST} the most."
        )
    return password


def _secret(given: SecretStr, file: Path | None, name: str) -> str:
    if given.get_secret_value() or file is None:
        return given.get_secret_value()
    try:
        with file.open("rb") as opened:
            content = opened.read(SECRET_FILE_LIMIT_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongSetting(f"{name}_FILE cannot be read: {error}.") from None
    if not content.strip("\r\n"):
        raise WrongSetting(f"{name}_FILE is empty.")
    return content.strip("\r\n")
