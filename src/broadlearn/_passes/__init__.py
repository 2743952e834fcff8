"""Fits in passes over rows that are never held together: on disk, or spread over machines."""
