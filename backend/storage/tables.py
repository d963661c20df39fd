"""The tables. Times are RFC 3339 texts in UTC, so that both databases sort and show them alike."""

from __future__ import annotations

from secrets import token_bytes
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Names every constraint, so that a migration can change it on both databases."""

    metadata = MetaData(naming_convention=NAMING)


class InvestigationRow(Base):
    """One incident: a label, its files and where its analysis stands."""

    __tablename__ = "investigations"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    label: Mapped[str] = mapped_column(Text)
    created: Mapped[str] = mapped_column(String(40), index=True)
    demo: Mapped[str] = mapped_column(String(80), default="")
    """Name of the bundled demonstration this is, or empty."""
    analysis: Mapped[str | None] = mapped_column(String(16))
    """queued, running, finished, failed, cancelled; None before the first file."""
    generation: Mapped[int] = mapped_column(default=0)
    """Grows with each change of the inputs; an analysis of an older generation gives up."""
    revision: Mapped[int] = mapped_column(BigInteger, default=0)
    """Grows with each visible change; the id of a progress event."""
    stage_number: Mapped[int] = mapped_column(default=0)
    stage_name: Mapped[str] = mapped_column(String(40), default="")
    message: Mapped[str] = mapped_column(Text, default="")
    findings_so_far: Mapped[int] = mapped_column(default=0)
    found_so_far: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON)
    """The first of them in short; None when no analysis runs."""
    summary: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """The verdict of the last finished analysis, for the list."""
    updated: Mapped[str] = mapped_column(String(40))
    source: Mapped[str] = mapped_column(String(8), default="api")
    """How it came: browser, ci or api."""
    owner_id: Mapped[str | None] = mapped_column(String(32))
    """The member who created it, who may be gone; None where nobody signed in."""
    token_id: Mapped[str | None] = mapped_column(String(32))
    """The token that created it, which may be gone; None where no token did."""


class EvidenceFileRow(Base):
    """One file of an investigation, from its first byte to its packet table."""

    __tablename__ = "evidence_files"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    investigation_id: Mapped[str] = mapped_column(
        ForeignKey("investigations.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(String(16))
    format: Mapped[str] = mapped_column(String(40))
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    """Announced while it is uploading, counted afterwards."""
    sha256: Mapped[str] = mapped_column(String(64), default="", index=True)
    status: Mapped[str] = mapped_column(String(16))
    attempt: Mapped[int] = mapped_column(default=1)
    """Grows when a decode is called off or tried anew; a decode of an older attempt gives up."""
    starts: Mapped[int] = mapped_column(default=0)
    """How often a worker began to decode it without coming to an end; a decode of an older start gives up."""
    created: Mapped[str] = mapped_column(String(40))
    bundle_id: Mapped[str | None] = mapped_column(String(32), index=True)
    """The file it was unpacked from; it goes when that one goes."""
    host: Mapped[str | None] = mapped_column(Text)
    captured_at_ns: Mapped[int | None] = mapped_column(BigInteger)
    stage_number: Mapped[int] = mapped_column(default=1)
    stage_name: Mapped[str] = mapped_column(String(40), default="upload")
    packets: Mapped[int] = mapped_column(BigInteger, default=0)
    bytes_done: Mapped[int] = mapped_column(BigInteger, default=0)
    rate_packets_s: Mapped[float | None] = mapped_column(Float)
    lines: Mapped[int] = mapped_column(BigInteger, default=0)
    lines_not_understood: Mapped[int] = mapped_column(BigInteger, default=0)
    warnings: Mapped[list[str]] = mapped_column(JSON, default=list)
    not_understood_at: Mapped[list[int]] = mapped_column(JSON, default=list)
    """1-based numbers of the first lines of a dump that nobody understood."""
    error: Mapped[str | None] = mapped_column(Text)
    holds_credentials: Mapped[bool] = mapped_column(default=False)
    """Keys or tokens pass in it in clear text: its bytes are handed out after a warning only."""
    uploaded_sha256: Mapped[str] = mapped_column(String(64), default="")
    """Of the bytes as they came, where credentials were overwritten in those that are kept; else empty."""
    owner_id: Mapped[str | None] = mapped_column(String(32))
    """The member who uploaded it, as `token_id`; what came out of a bundle has those of the bundle."""
    token_id: Mapped[str | None] = mapped_column(String(32))

    __table_args__ = (Index("ix_evidence_files_name", "investigation_id", "name"),)


class AnalysisRow(Base):
    """One run over one generation of inputs, kept as history."""

    __tablename__ = "analyses"

    investigation_id: Mapped[str] = mapped_column(
        ForeignKey("investigations.id", ondelete="CASCADE"), primary_key=True
    )
    generation: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(String(16))
    requested: Mapped[str] = mapped_column(String(40))
    starts: Mapped[int] = mapped_column(default=0)
    """How often a worker began to judge it without coming to an end."""
    finished: Mapped[str | None] = mapped_column(String(40))
    error: Mapped[str | None] = mapped_column(Text)


class ShareRow(Base):
    """A read-only link; of its secret only the hash is here."""

    __tablename__ = "shares"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    investigation_id: Mapped[str] = mapped_column(
        ForeignKey("investigations.id", ondelete="CASCADE"), index=True
    )
    secret_sha256: Mapped[str] = mapped_column(String(64))
    created: Mapped[str] = mapped_column(String(40))
    expires: Mapped[str] = mapped_column(String(40))
    revoked: Mapped[str | None] = mapped_column(String(40))
    finding_id: Mapped[str] = mapped_column(String(80), default="")
    """The only finding that it shows; empty for all of the investigation."""
    addresses: Mapped[str] = mapped_column(String(8), default="real")
    """real, or names: other names for addresses, files and machines."""
    payload: Mapped[str] = mapped_column(String(8), default="removed")
    """removed, or headers: words of HTTP and DNS messages."""
    shows: Mapped[str] = mapped_column(String(8), default="live")
    """live, or frozen: the analysis that it was made on, of which a copy is kept."""
    with_notes: Mapped[bool] = mapped_column(default=False)
    view: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """The window, filter and lanes that it is narrowed to (`records.ShareView`); None for none."""
    made_by: Mapped[str] = mapped_column(String(120), default="")
    """Name of the member who made it; empty where nobody signs in."""
    password_hash: Mapped[str] = mapped_column(String(160), default="")
    """Salt and scrypt hash in hexadecimal; empty for none."""
    show_title: Mapped[bool] = mapped_column(default=False)
    """Whether a preview of the link shows what was found."""
    opened: Mapped[int] = mapped_column(default=0)
    last_opened: Mapped[str | None] = mapped_column(String(40))
    pseudonym_key: Mapped[bytes] = mapped_column(LargeBinary, default=lambda: token_bytes(32))
    """From which the link's names follow; of this link alone, and never shown."""


class PseudonymKeyRow(Base):
    """By which an investigation's anonymised downloads name things."""

    __tablename__ = "disguise_keys"

    investigation_id: Mapped[str] = mapped_column(
        ForeignKey("investigations.id", ondelete="CASCADE"), primary_key=True
    )
    key: Mapped[bytes] = mapped_column(LargeBinary)


class NoteRow(Base):
    """What a person wrote down; nothing that was measured depends on it."""

    __tablename__ = "notes"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    investigation_id: Mapped[str] = mapped_column(
        ForeignKey("investigations.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[str] = mapped_column(String(16))
    """note or disagreement."""
    text: Mapped[str] = mapped_column(Text)
    author: Mapped[str] = mapped_column(String(120), default="")
    created: Mapped[str] = mapped_column(String(40))
    from_ns: Mapped[int | None] = mapped_column(BigInteger)
    """ns after the first packet of all captures; None for a note at no time."""
    to_ns: Mapped[int | None] = mapped_column(BigInteger)
    lane: Mapped[str] = mapped_column(String(220), default="")
    finding_id: Mapped[str] = mapped_column(String(80), default="")
    cause: Mapped[str] = mapped_column(String(80), default="")
    diagnosis_id: Mapped[str] = mapped_column(String(90), default="")
    """The one diagnosis that it is about: several may name one cause."""
    owner_id: Mapped[str | None] = mapped_column(String(32))
    """The member who wrote it, as `token_id`; None where nobody signed in."""
    token_id: Mapped[str | None] = mapped_column(String(32))


class ComparisonRow(Base):
    """An investigation compared with another; goes when either of them does."""

    __tablename__ = "comparisons"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    investigation_id: Mapped[str] = mapped_column(
        ForeignKey("investigations.id", ondelete="CASCADE"), index=True
    )
    """The candidate."""
    base_id: Mapped[str] = mapped_column(ForeignKey("investigations.id", ondelete="CASCADE"), index=True)
    generation: Mapped[int]
    base_generation: Mapped[int]
    """Of the inputs that were compared."""
    by_owner: Mapped[bool] = mapped_column(default=True)
    """Made by one who may change the candidate: only such a comparison is the result of a run."""
    created: Mapped[str] = mapped_column(String(40))
    verdict: Mapped[str] = mapped_column(String(16))
    statement: Mapped[str] = mapped_column(Text)
    content: Mapped[str] = mapped_column(Text)
    """`stallscope.comparison/1` as JSON."""


class IdempotencyRow(Base):
    """What a POST with an Idempotency-Key created, so that its repetition by the same caller creates nothing."""

    __tablename__ = "idempotency_keys"

    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    """SHA-256 of caller, route and the key that was sent."""
    request_sha256: Mapped[str] = mapped_column(String(64))
    investigation_id: Mapped[str] = mapped_column(ForeignKey("investigations.id", ondelete="CASCADE"))
    created: Mapped[str] = mapped_column(String(40))


class ExecutorRow(Base):
    """A worker process and when it last said that it is alive."""

    __tablename__ = "executors"

    id: Mapped[str] = mapped_column(String(80), primary_key=True)
    machine: Mapped[str] = mapped_column(Text)
    beat_s: Mapped[float] = mapped_column(Float)
    """Unix time of the last sign of life."""
    not_confined_by: Mapped[str] = mapped_column(Text, default="")
    """What its machine refuses to confine child processes with, by comma."""


class MemberRow(Base):
    """Someone who may sign in."""

    __tablename__ = "members"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    """Typed at sign-in, or the e-mail address that the identity provider vouches for."""
    issuer: Mapped[str] = mapped_column(Text, default="")
    """Of the identity provider; empty for members with a password."""
    subject: Mapped[str] = mapped_column(Text)
    """The provider's name for the person, which never changes; of a member with a password the name."""
    role: Mapped[str] = mapped_column(String(16))
    password_hash: Mapped[str] = mapped_column(Text, default="")
    created: Mapped[str] = mapped_column(String(40))
    last_sign_in: Mapped[str | None] = mapped_column(String(40))
    blocked: Mapped[bool] = mapped_column(default=False)

    __table_args__ = (UniqueConstraint("issuer", "subject", name="uq_members_issuer"),)


class SignInRow(Base):
    """One browser that is signed in; of its secret only the hash is here."""

    __tablename__ = "sign_ins"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    member_id: Mapped[str] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"), index=True)
    secret_sha256: Mapped[str] = mapped_column(String(64), index=True)
    previous_sha256: Mapped[str] = mapped_column(String(64), default="", index=True)
    """Of the secret before the last rotation: answers to it may still be under way."""
    rotated: Mapped[str] = mapped_column(String(40))
    confirmed: Mapped[str | None] = mapped_column(String(40))
    """When the newest secret was first shown by the browser."""
    created: Mapped[str] = mapped_column(String(40))
    expires: Mapped[str] = mapped_column(String(40))


class AccessTokenRow(Base):
    """What a program shows instead of a person; of its secret only the hash is here."""

    __tablename__ = "access_tokens"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    scope: Mapped[str] = mapped_column(String(16))
    secret_sha256: Mapped[str] = mapped_column(String(64))
    member_id: Mapped[str | None] = mapped_column(ForeignKey("members.id", ondelete="CASCADE"), index=True)
    """Who made it; None where nobody signs in."""
    created: Mapped[str] = mapped_column(String(40))
    expires: Mapped[str] = mapped_column(String(40))
    last_used: Mapped[str | None] = mapped_column(String(40))


class AuditRow(Base):
    """What somebody did, or was refused. It names what may be gone by now, so nothing here refers to other tables."""

    __tablename__ = "audit_log"

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer(), "sqlite"), primary_key=True)
    at: Mapped[str] = mapped_column(String(40), index=True)
    act: Mapped[str] = mapped_column(String(40))
    result: Mapped[str] = mapped_column(String(8))
    """done or refused."""
    actor_kind: Mapped[str] = mapped_column(String(8))
    actor_id: Mapped[str] = mapped_column(String(32))
    actor_name: Mapped[str] = mapped_column(Text)
    """As it was then: a member or token may be gone."""
    address: Mapped[str] = mapped_column(Text)
    investigation_id: Mapped[str] = mapped_column(String(32))
    subject: Mapped[str] = mapped_column(Text)

    # Numbers are not used again, so that a page of the log begins where the last one ended.
    __table_args__ = ({"sqlite_autoincrement": True},)
