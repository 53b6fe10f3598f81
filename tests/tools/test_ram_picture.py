# SPDX-License-Identifier: MIT
"""The picture of all RAM on the page of a run."""

import json
from xml.etree import ElementTree

import pytest

from okramlib import page, ram_picture
from okramlib.records import InvalidRecord, parse
from tools.sample_runs import make_run


def types_of(*cells, cell_bytes=1 << 20):
    nodes = [{"node": i, "cells": text} for i, text in enumerate(cells)]
    return {"picture": [{"type": "picture", "cell_bytes": cell_bytes, "nodes": nodes}]}


def marks(svg):
    """{class: how many cells}, without those of the legend."""
    paths = ElementTree.fromstring(svg).findall("path")
    return {p.get("class"): p.get("d").count("M") for p in paths if p.find("title") is not None}


def test_a_mark_for_each_cell():
    svg = ram_picture.draw(types_of("300t4oX-", "2."))
    assert marks(svg) == {
        "ram-tested": 300, "ram-okram": 4, "ram-bad": 1, "ram-left": 1, "ram-not": 2,
    }  # fmt: skip
    assert "300 cells tested" in svg and "1 cell bad page" in svg and "1 MiB a cell" in svg
    assert "node 0" in svg and "node 1" in svg


def test_nodes_begin_a_row():
    path = ElementTree.fromstring(ram_picture.draw(types_of("65t", "t"))).find("path").get("d")
    corners = [corner.split("h")[0].split() for corner in path.split("M")[1:]]
    assert [x for x, _ in corners].count(corners[0][0]) == 3
    assert len({y for _, y in corners}) == 3


@pytest.mark.parametrize("cells", [("",), ("513t",), ("511t", "2X"), ("999t" * 128,) * 64, ()])
def test_what_is_not_okrams_is_not_drawn(cells):
    assert ram_picture.draw(types_of(*cells)) is None


def test_a_run_without_it():
    assert ram_picture.draw({}) is None
    assert 'id="picture"' not in page.page(make_run())


def test_on_the_page():
    run = [*make_run(nodes=1), {"t": 9, **types_of("9tX")["picture"][0]}]
    html = page.page(run)
    assert 'href="#picture"' in html and 'id="picture"' in html and 'class="ram-bad"' in html


@pytest.mark.parametrize("cells", ["0t", "1t", "t?", "t 2o", "1000t", "3", "s", "t" * 513])
def test_the_schema_refuses(cells):
    record = {"t": 1, **types_of(cells)["picture"][0]}
    with pytest.raises(InvalidRecord):
        parse(json.dumps(record))
