"""The studies. There is a folder for each paper, and for each question beyond the papers.

A folder defines training jobs, numbers, tables and figures.
"""
