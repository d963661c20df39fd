"""How often workers began a piece of work that none of them ended"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("evidence_files", "analyses"):
        with op.batch_alter_table(name) as table:
            table.add_column(sa.Column("starts", sa.Integer(), nullable=False, server_default="0"))
