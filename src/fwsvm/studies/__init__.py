"""Hold a folder per paper or question, with its training jobs, numbers, tables, figures and claims."""
