"""Judge the papers' printed statements with our runs."""
