"""Descriptions and checks of the input of users: settings, values, labels and files.

The module `errors` defines the errors that users can correct.
"""
