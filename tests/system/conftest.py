import pytest

from okramlib.machine import IMAGE, PLUGIN


@pytest.fixture(scope="session", autouse=True)
def built():
    """The tests take what `make` has built."""
    for path in (IMAGE, PLUGIN):
        assert path.exists(), f"{path} is not there: run `make check`"
