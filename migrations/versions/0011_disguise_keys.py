"""The secret of each investigation by which addresses and names stand for others in anonymised downloads"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "disguise_keys",
        sa.Column("investigation_id", sa.String(32), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["investigation_id"],
            ["investigations.id"],
            name="fk_disguise_keys_investigation_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("investigation_id", name="pk_disguise_keys"),
    )
