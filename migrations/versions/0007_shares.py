"""What a link shows: one finding or all, real addresses or names, with a password; and how often it was opened"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("shares") as table:
        table.add_column(sa.Column("finding_id", sa.String(80), nullable=False, server_default=""))
        table.add_column(sa.Column("addresses", sa.String(8), nullable=False, server_default="real"))
        table.add_column(sa.Column("password_hash", sa.String(160), nullable=False, server_default=""))
        table.add_column(sa.Column("show_title", sa.Boolean(), nullable=False, server_default=sa.false()))
        table.add_column(sa.Column("opened", sa.Integer(), nullable=False, server_default="0"))
        table.add_column(sa.Column("last_opened", sa.String(40)))
