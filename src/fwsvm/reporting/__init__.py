"""Builders of tables and charts, and their style. Nothing here depends on a paper."""
