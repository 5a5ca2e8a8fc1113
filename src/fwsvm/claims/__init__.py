"""Judge printed statements by our runs."""
