"""Numbers of the lines of a dump that nobody understood"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("evidence_files") as table:
        table.add_column(sa.Column("not_understood_at", sa.JSON(), nullable=False, server_default="[]"))
