"""The parts of the path search."""
