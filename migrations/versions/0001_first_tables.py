"""First tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "executors",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("beat_s", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_executors")),
    )
    op.create_table(
        "investigations",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.Column("demo", sa.String(length=80), nullable=False),
        sa.Column("analysis", sa.String(length=16), nullable=True),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("stage_number", sa.Integer(), nullable=False),
        sa.Column("stage_name", sa.String(length=40), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("findings_so_far", sa.Integer(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=True),
        sa.Column("updated", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_investigations")),
    )
    with op.batch_alter_table("investigations", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_investigations_created"), ["created"], unique=False)

    op.create_table(
        "analyses",
        sa.Column("investigation_id", sa.String(length=32), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("requested", sa.String(length=40), nullable=False),
        sa.Column("finished", sa.String(length=40), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["investigation_id"],
            ["investigations.id"],
            name=op.f("fk_analyses_investigation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("investigation_id", "generation", name=op.f("pk_analyses")),
    )
    op.create_table(
        "evidence_files",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("investigation_id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("format", sa.String(length=40), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("captured_at_ns", sa.BigInteger(), nullable=True),
        sa.Column("stage_number", sa.Integer(), nullable=False),
        sa.Column("stage_name", sa.String(length=40), nullable=False),
        sa.Column("packets", sa.BigInteger(), nullable=False),
        sa.Column("bytes_done", sa.BigInteger(), nullable=False),
        sa.Column("rate_packets_s", sa.Float(), nullable=True),
        sa.Column("lines", sa.BigInteger(), nullable=False),
        sa.Column("lines_not_understood", sa.BigInteger(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["investigation_id"],
            ["investigations.id"],
            name=op.f("fk_evidence_files_investigation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence_files")),
    )
    with op.batch_alter_table("evidence_files", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_evidence_files_investigation_id"), ["investigation_id"], unique=False
        )
        batch_op.create_index("ix_evidence_files_name", ["investigation_id", "name"], unique=False)
        batch_op.create_index(batch_op.f("ix_evidence_files_sha256"), ["sha256"], unique=False)

    op.create_table(
        "idempotency_keys",
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("request_sha256", sa.String(length=64), nullable=False),
        sa.Column("investigation_id", sa.String(length=32), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["investigation_id"],
            ["investigations.id"],
            name=op.f("fk_idempotency_keys_investigation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_idempotency_keys")),
    )
    op.create_table(
        "shares",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("investigation_id", sa.String(length=32), nullable=False),
        sa.Column("secret_sha256", sa.String(length=64), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.Column("expires", sa.String(length=40), nullable=False),
        sa.Column("revoked", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(
            ["investigation_id"],
            ["investigations.id"],
            name=op.f("fk_shares_investigation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shares")),
    )
    with op.batch_alter_table("shares", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_shares_investigation_id"), ["investigation_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("shares", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_shares_investigation_id"))

    op.drop_table("shares")
    op.drop_table("idempotency_keys")
    with op.batch_alter_table("evidence_files", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_evidence_files_sha256"))
        batch_op.drop_index("ix_evidence_files_name")
        batch_op.drop_index(batch_op.f("ix_evidence_files_investigation_id"))

    op.drop_table("evidence_files")
    op.drop_table("analyses")
    with op.batch_alter_table("investigations", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_investigations_created"))

    op.drop_table("investigations")
    op.drop_table("executors")
