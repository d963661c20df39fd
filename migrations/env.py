"""Alembic's entry: runs on the connection that the product hands over, in its transaction."""

from alembic import context

from backend.storage.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
context.run_migrations()
