"""Notes by people: at a moment or a stretch of time, or in disagreement with a diagnosis"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notes",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("investigation_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("author", sa.String(120), nullable=False),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("from_ns", sa.BigInteger()),
        sa.Column("to_ns", sa.BigInteger()),
        sa.Column("lane", sa.String(220), nullable=False),
        sa.Column("finding_id", sa.String(80), nullable=False),
        sa.Column("cause", sa.String(80), nullable=False),
        sa.ForeignKeyConstraint(
            ["investigation_id"],
            ["investigations.id"],
            name="fk_notes_investigation_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_notes"),
    )
    op.create_index("ix_notes_investigation_id", "notes", ["investigation_id"])
