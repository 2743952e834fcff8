"""Parts of the audit: held-out probabilities, neighbours, verdicts, pictures, page and file."""
