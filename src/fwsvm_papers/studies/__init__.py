"""The studies. There is a folder for each paper, and for each question beyond the papers.

The folder of a study defines its training jobs, numbers, tables and figures.
"""
