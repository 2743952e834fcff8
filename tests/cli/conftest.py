"""What tests of several commands share: a folder with a table, and a model of it."""

import pytest
from patients import call, patients


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients().to_csv("patients.csv", index=False)
    return tmp_path


@pytest.fixture
def model(folder):
    done = call("fit", "patients.csv", "--target", "ill", "-m", "bls", "-o", "model.blm")
    assert done.exit_code == 0, done.output
    return folder / "model.blm"


@pytest.fixture(autouse=True)
def quick_studies(inline_units):
    """Studies that start no processes."""
