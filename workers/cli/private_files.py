"""Files of the server are not for other users of its machine."""

from __future__ import annotations

import os

_OTHERS = 0o007


def keep_others_out() -> None:
    """Take all rights of other users from the files that this process and its children will make. Rights of the group
    stay as the operator's mask has them: several workers may share a data folder that way."""
    os.umask(os.umask(_OTHERS) | _OTHERS)
