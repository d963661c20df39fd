"""A secret from a setting, or from the file that another setting names."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from backend.errors import WrongSetting

FILE_LIMIT_BYTES = 4096


def secret_setting(given: SecretStr, file: Path | None, name: str) -> str:
    """Empty for none; raises WrongSetting for a file that cannot be read or is empty."""
    if given.get_secret_value() or file is None:
        return given.get_secret_value()
    try:
        with file.open("rb") as opened:
            content = opened.read(FILE_LIMIT_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongSetting(f"{name}_FILE cannot be read: {error}.") from None
    if not content.strip("\r\n"):
        raise WrongSetting(f"{name}_FILE is empty.")
    return content.strip("\r\n")
