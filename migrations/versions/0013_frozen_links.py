"""What a link shows: frozen or live, one view, notes, words of messages"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("shares") as table:
        table.add_column(sa.Column("shows", sa.String(8), nullable=False, server_default="live"))
        table.add_column(sa.Column("payload", sa.String(8), nullable=False, server_default="removed"))
        table.add_column(sa.Column("with_notes", sa.Boolean(), nullable=False, server_default=sa.false()))
        table.add_column(sa.Column("view", sa.JSON()))
        table.add_column(sa.Column("made_by", sa.String(120), nullable=False, server_default=""))
    # Links with real addresses have shown the words of messages so far, and go on doing so.
    op.execute("UPDATE shares SET payload = 'headers' WHERE addresses = 'real'")
