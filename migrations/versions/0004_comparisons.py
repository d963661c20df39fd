"""Comparisons of two investigations"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "comparisons",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("investigation_id", sa.String(32), nullable=False),
        sa.Column("base_id", sa.String(32), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("base_generation", sa.Integer(), nullable=False),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["investigation_id"],
            ["investigations.id"],
            name="fk_comparisons_investigation_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["base_id"], ["investigations.id"], name="fk_comparisons_base_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_comparisons"),
    )
    op.create_index("ix_comparisons_investigation_id", "comparisons", ["investigation_id"])
    op.create_index("ix_comparisons_base_id", "comparisons", ["base_id"])
