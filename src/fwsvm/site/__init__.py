"""The HTML report of a run and the gallery of its figures, from files of results; nothing is drawn or trained here."""
