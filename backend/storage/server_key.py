"""256 random bits that sign what this installation hands out; a copy of the database alone signs nothing."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

KEY_BYTES = 32
_NAME = "signing.key"


def server_key(data: Path) -> bytes:
    """The key of this data folder, made when it is first asked for. All processes get the same one."""
    path = data / _NAME
    if not path.is_file():
        made = data / f"{_NAME}.{secrets.token_hex(8)}"
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
        try:
            os.link(made, path)
        except FileExistsError:
            pass  # another process was quicker
        finally:
            made.unlink()
    return path.read_bytes()
