import pytest


@pytest.fixture(autouse=True)
def quick_studies(inline_units):
    """Studies that start no processes."""
