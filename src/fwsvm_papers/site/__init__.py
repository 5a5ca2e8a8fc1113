"""Write the HTML report of a run and the gallery of its figures.

Nothing is drawn or trained here.
"""
