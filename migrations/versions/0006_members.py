"""Members, who is signed in, access tokens, and who created an investigation"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("investigations") as table:
        table.add_column(sa.Column("owner_id", sa.String(32), nullable=True))
    op.create_table(
        "members",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("last_sign_in", sa.String(40), nullable=True),
        sa.Column("blocked", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_members")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_members_issuer")),
    )
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("member_id", sa.String(32), nullable=False),
        sa.Column("secret_sha256", sa.String(64), nullable=False),
        sa.Column("previous_sha256", sa.String(64), nullable=False),
        sa.Column("rotated", sa.String(40), nullable=False),
        sa.Column("confirmed", sa.String(40), nullable=True),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("expires", sa.String(40), nullable=False),
        sa.ForeignKeyConstraint(
            ["member_id"], ["members.id"], name=op.f("fk_sign_ins_member_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_ins")),
    )
    with op.batch_alter_table("sign_ins") as table:
        for column in ("member_id", "secret_sha256", "previous_sha256"):
            table.create_index(op.f(f"ix_sign_ins_{column}"), [column])
    op.create_table(
        "access_tokens",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("secret_sha256", sa.String(64), nullable=False),
        sa.Column("member_id", sa.String(32), nullable=True),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("expires", sa.String(40), nullable=False),
        sa.Column("last_used", sa.String(40), nullable=True),
        sa.ForeignKeyConstraint(
            ["member_id"], ["members.id"], name=op.f("fk_access_tokens_member_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_tokens")),
    )
    with op.batch_alter_table("access_tokens") as table:
        table.create_index(op.f("ix_access_tokens_member_id"), ["member_id"])
