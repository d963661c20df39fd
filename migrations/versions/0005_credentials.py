"""Which files hold credentials, and what they were before these were overwritten"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("evidence_files") as table:
        table.add_column(
            sa.Column("holds_credentials", sa.Boolean(), nullable=False, server_default=sa.false())
        )
        table.add_column(sa.Column("uploaded_sha256", sa.String(64), nullable=False, server_default=""))
