"""How an investigation came: by a browser, a pipeline, or another program"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("investigations") as table:
        table.add_column(sa.Column("source", sa.String(8), nullable=False, server_default="api"))
