"""Who made files and notes, which token made something, and keys of repeated requests by caller"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

MADE = {
    "investigations": ("token_id",),
    "evidence_files": ("owner_id", "token_id"),
    "notes": ("owner_id", "token_id"),
}


def upgrade() -> None:
    for table_name, columns in MADE.items():
        with op.batch_alter_table(table_name) as table:
            for column in columns:
                table.add_column(sa.Column(column, sa.String(32)))
    with op.batch_alter_table("comparisons") as table:
        table.add_column(sa.Column("by_owner", sa.Boolean(), nullable=False, server_default=sa.true()))
    # They were kept as they were sent, and would answer any caller.
    op.execute("DELETE FROM idempotency_keys")
