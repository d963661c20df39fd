"""The random key that each link's names follow from"""

from secrets import token_bytes

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("shares", sa.Column("pseudonym_key", sa.LargeBinary()))
    shares = sa.table("shares", sa.column("id", sa.String), sa.column("pseudonym_key", sa.LargeBinary))
    connection = op.get_bind()
    for (share_id,) in connection.execute(sa.select(shares.c.id)).all():
        connection.execute(
            shares.update().where(shares.c.id == share_id).values(pseudonym_key=token_bytes(32))
        )
    with op.batch_alter_table("shares") as table:
        table.alter_column("pseudonym_key", existing_type=sa.LargeBinary(), nullable=False)
