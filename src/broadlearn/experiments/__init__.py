"""The published study: its data, protocols, results and statistics; needs the ``study`` extra."""
