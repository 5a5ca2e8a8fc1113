"""Compare the columns of any table of results by rank tests and estimates of effect sizes."""
