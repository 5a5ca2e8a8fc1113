"""Hold one folder per paper or question.

Each folder has training jobs, numbers, tables, figures and claims.
"""
