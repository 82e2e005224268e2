"""Alembic's migrations, which the program itself runs whenever it opens a database."""
