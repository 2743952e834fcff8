import pytest


@pytest.fixture(autouse=True)
def quick_studies(kept_processes):
    """Studies that start no processes of their own."""
