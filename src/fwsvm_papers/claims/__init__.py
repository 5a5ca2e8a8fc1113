"""Judge quantitative statements (claims) of the papers by our runs."""
