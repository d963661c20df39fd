"""What a running analysis has found so far, in short"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("investigations") as table:
        table.add_column(sa.Column("found_so_far", sa.JSON()))
