"""The protocols of the papers: plain functions from data and settings to rows of the runs table."""
