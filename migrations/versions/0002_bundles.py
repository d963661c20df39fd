"""Files that came out of bundles"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("evidence_files") as table:
        table.add_column(sa.Column("bundle_id", sa.String(length=32), nullable=True))
        table.create_index(op.f("ix_evidence_files_bundle_id"), ["bundle_id"])
