"""What the machine of each worker refuses to confine its children with"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("executors", sa.Column("not_confined_by", sa.Text(), nullable=False, server_default=""))
