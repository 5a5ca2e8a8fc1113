"""Judge the papers' statements by our runs."""
