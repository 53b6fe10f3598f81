# SPDX-License-Identifier: MIT
import pytest


@pytest.fixture
def box(tmp_path):
    from tools import guard_samples  # which builds what `okram guard` takes

    return guard_samples.make(tmp_path)
