"""Code that describes and checks what users give: settings, values, labels and files.

The module `errors` defines the errors that users can correct.
"""
