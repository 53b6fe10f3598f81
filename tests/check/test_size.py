# SPDX-License-Identifier: MIT
"""The ways that `make size` counts are those of the sources."""

import pytest

import size


@pytest.mark.parametrize("way", size.WAYS)
def test_a_way_is_there(way):
    assert list(size.missing(size.WAYS[way])) == []


def test_counts():
    text = size.without_comments('int a; /* b; */ // c\nchar *d = "/* e */";\n\n')
    assert text == 'int a;  \nchar *d = "/* e */";\n\n'
    assert size.n_lines(text) == 2
    assert size.n_arguments("int a, void (*f)(int, int), int b[2]") == 3
    assert size.declares_one("/* x */\nvoid a(int b);\n")
    assert not size.declares_one("void a(int b);\nint c(void);\n")
    assert not size.declares_one("void a(int b);\nstatic inline int c(void)\n{\n}\n")
