"""Which diagnosis a disagreement is about: several may name one cause"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("notes") as table:
        table.add_column(sa.Column("diagnosis_id", sa.String(90), nullable=False, server_default=""))
    op.execute("UPDATE notes SET diagnosis_id = cause || '-1' WHERE cause <> ''")
