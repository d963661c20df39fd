"""Settings: the command line, then ``STALLSCOPE_*`` variables, then the file STALLSCOPE_CONFIG names."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from backend.errors import InvalidRequest
from backend.limits import Limits
from backend.machine_memory import memory_bytes

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


_CONFIG = "STALLSCOPE_CONFIG"
_FILES_AT_MOST = 8
"""Each has a process of its own, which waits ready for it."""
_MEMORY_OF_A_FILE = 1 << 30
"""Bytes: decoding takes 0.4 GB, and 0.7 kB a connection."""


def _cores_and_memory() -> tuple[int, int]:
    """Processors that this process may use, and the memory that it may have, in bytes."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux has it
        cores = os.cpu_count() or 1
    return cores, memory_bytes()


def files_at_once(cores: int, memory_bytes: int) -> int:
    """One a core, as long as there is memory for each."""
    return max(1, min(cores, memory_bytes // _MEMORY_OF_A_FILE, _FILES_AT_MOST))


class Settings(BaseSettings):
    """Everything that can be chosen from outside."""

    model_config = SettingsConfigDict(env_prefix="STALLSCOPE_", extra="ignore", frozen=True)

    data: Annotated[Path, AfterValidator(Path.absolute)] = Path.home() / ".local" / "share" / "stallscope"
    # Made absolute: the processes that use it work in different folders.
    """Folder of the uploads, the packet tables and, by default, the databases."""
    database_url: Annotated[str, Field(pattern=r"^(?:$|sqlite:|postgresql\+psycopg:)")] = ""
    """SQLAlchemy address of the database; empty = SQLite in the data folder."""
    host: str = "127.0.0.1"
    """Address that ``stallscope serve`` listens on; no other than loopback before somebody can sign in."""
    port: int = Field(default=8000, ge=0, le=65535)
    """Port that it listens on."""

    public_url: str = ""
    """Addresses, by comma, that people reach the server by, like ``https://stallscope.example.org`` of a proxy."""
    trusted_proxies: str = ""
    """Addresses of proxies, by comma, whose X-Forwarded-For is believed: guesses are counted per client."""
    admin_password: SecretStr = SecretStr("")
    """Of the member ``admin``; stored as a hash alone. There is no option of the command line for it."""
    admin_password_file: Path | None = None
    """A file with it, instead."""
    oidc_issuer: str = ""
    """OpenID Connect: address of the identity provider, without ``/.well-known/…``."""
    oidc_client_id: str = ""
    """What the provider knows this server as."""
    oidc_client_secret: SecretStr = SecretStr("")
    """Of that client."""
    oidc_client_secret_file: Path | None = None
    """A file with it, instead."""
    oidc_admins: str = ""
    """Who is an admin, by comma: ``ann@example.org``, ``@example.org`` or ``group:NAME``; the highest role counts."""
    oidc_analysts: str = ""
    """Who is an analyst, likewise."""
    oidc_viewers: str = ""
    """Who is a viewer, likewise."""
    oidc_groups_claim: str = "groups"
    """Name of the claim that lists somebody's groups."""
    oidc_scopes: str = "openid email profile"
    """What is asked for; some providers send groups only when asked for a further one."""

    worker_files: int = Field(default_factory=lambda: files_at_once(*_cores_and_memory()), ge=1)
    """How many files one worker decodes at the same time."""
    heartbeat_s: float = 1.0
    """How often a worker says that it is alive; silent for four times as long, it counts as dead."""
    quiet_s: float = 0.5
    """How long no further file may arrive before the analysis starts by itself."""

    audit_days: int = Field(default=365, ge=1)
    """How long the audit log keeps who did what."""

    scrub_on_upload: bool = False
    """Overwrite credentials in stored captures once they are decoded. A capture in which they cannot be overwritten
    (compressed, or of a rare format) and a bundle that holds one are analyzed and then removed."""

    # `backend.limits` gives the reason of each limit.
    unpacked_ratio: int = Limits.unpacked_ratio
    unpacked_bytes: int = Limits.unpacked_bytes
    bundle_members: int = Limits.bundle_members
    bundle_depth: int = Limits.bundle_depth
    child_memory_bytes: int = Limits.child_memory_bytes
    child_cpu_s: int = Limits.child_cpu_s
    child_cpu_least_s: int = Limits.child_cpu_least_s
    child_cpu_s_per_gib: int = Limits.child_cpu_s_per_gib
    part_cpu_s: int = Limits.part_cpu_s
    part_memory_bytes: int = Limits.part_memory_bytes
    small_bytes: int = Limits.small_bytes
    children_memory_percent: int = Limits.children_memory_percent
    child_file_bytes: int = Limits.child_file_bytes
    child_answer_bytes: int = Limits.child_answer_bytes
    look_memory_bytes: int = Limits.look_memory_bytes
    look_cpu_s: int = Limits.look_cpu_s
    look_answer_bytes: int = Limits.look_answer_bytes
    disk_reserve_bytes: int = Field(default=Limits.disk_reserve_bytes, ge=0)

    upload_max_bytes: int = Field(default=256 << 30, ge=1)
    """Largest file that may be uploaded."""
    upload_expires_s: int = Field(default=24 * 3600, ge=60)
    """An unfinished upload that received nothing for so long is removed."""

    @property
    def limits(self) -> Limits:
        """What an upload may cost."""
        return Limits(**{field.name: getattr(self, field.name) for field in fields(Limits)})

    @property
    def metadata_url(self) -> str:
        """Where the tables are."""
        return self.database_url or f"sqlite:///{self.data / 'stallscope.sqlite'}"

    @property
    def jobs_url(self) -> str:
        """Where the job engine keeps its own tables: a file of its own, or a schema of its own."""
        return self.database_url or f"sqlite:///{self.data / 'jobs.sqlite'}"

    @property
    def blobs(self) -> Path:
        """Uploaded bytes, by their SHA-256."""
        return self.data / "blobs"

    @property
    def incoming(self) -> Path:
        """Uploads that are not complete yet."""
        return self.data / "blobs" / "incoming"

    @property
    def packets(self) -> Path:
        """Packet tables and reports, one folder an investigation."""
        return self.data / "packets"

    @property
    def private_paths(self) -> tuple[Path, ...]:
        """The data folder and files of secrets; `Store.private_paths` is all that no child process reads."""
        named = (self.admin_password_file, self.oidc_client_secret_file, os.environ.get(_CONFIG))
        return (self.data, *(Path(each) for each in named if each))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        config_file = os.environ.get(_CONFIG, "")
        if not config_file:
            return init_settings, env_settings
        if not Path(config_file).is_file():
            raise InvalidRequest(f"The file {config_file}, which {_CONFIG} names, does not exist.")
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, Path(config_file))


def read_settings(given: Mapping[str, Any]) -> Settings:
    """With what the command line gives, None for nothing; raises InvalidRequest for what is no setting."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except tomllib.TOMLDecodeError as error:
        raise InvalidRequest(f"The file {os.environ[_CONFIG]} is no TOML: {error}.") from None
    except ValidationError as error:
        wrong = "; ".join(f"{each['loc'][0]}: {each['msg']}" for each in error.errors())
        raise InvalidRequest(f"Wrong settings (option, STALLSCOPE_… or {_CONFIG}): {wrong}.") from None
