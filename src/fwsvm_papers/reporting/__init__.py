"""The common style of all tables and charts. This package contains nothing about a particular
paper.
"""
