# SPDX-License-Identifier: MIT
"""Each figure that was measured is in each form of the report."""

import pytest

from tools import everywhere
from tools.sample_runs import make_run


@pytest.mark.parametrize("nodes, runs", [(1, 5), (3, 5), (2, 1)])
def test_each_form_has_each_figure(nodes, runs):
    everywhere.check_all(make_run(nodes=nodes, cpus_per_node=3, runs=runs))


def test_the_page_has_each_figure(tmp_path):
    everywhere.check_page(make_run(nodes=3, cpus_per_node=3), tmp_path / "page.html")


@pytest.mark.parametrize("check", [everywhere.check_csv, everywhere.check_tables])
def test_a_record_that_is_not_known_is_found(check):
    unknown = {"t": 1, "type": "unknown", "ns": 12.3}
    with pytest.raises(AssertionError):
        check([*make_run(nodes=1, cpus_per_node=2), unknown])
