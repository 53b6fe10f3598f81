# SPDX-License-Identifier: MIT
"""Which pages of memory memtester's offsets are."""

from testers.buffer import Buffer
from testers.linux import take_line
from testers.reader import Told

# Four pages: 0x100, 0x101, 0x80, 0x200; the second half begins with the third.
RUNS = [(0, 0x100, 2), (2, 0x80, 1), (3, 0x200, 1)]


def buffer():
    return Buffer(size=0x4000, runs=list(RUNS))


def test_page_of_an_offset():
    pages = [buffer().page(offset) for offset in (0, 0xFFF, 0x1000, 0x2008, 0x3FFF)]
    assert pages == [0x100, 0x100, 0x101, 0x80, 0x200]
    assert buffer().page(0x4000) is None


def test_what_is_compared_is_in_one_of_two_halves():
    told = buffer()
    told.take_failure(0x1008, is_compared=True)
    assert told.bad_pages({0x101, 0x80}) == {0x101}
    assert told.bad_pages({0x200}) == {0x200}
    assert told.bad_pages({0x101, 0x200}) == set(), "either"
    assert told.bad_pages({0x7}) == set()


def test_other_offsets_are_of_the_whole():
    told = buffer()
    told.take_failure(0x1008, is_compared=False)
    assert told.bad_pages({0x101, 0x200}) == {0x101}


def test_lines_of_memtester_and_init():
    told = Told(bad_pages=frozenset({0x101, 0x80}))
    take_line("memtester", "got  0MB (16384 bytes), trying mlock ...locked.", told)
    take_line("memtester", "setting 3FAILURE: 0x1 != 0x0 at offset 0x0000000000001010.", told)
    assert (told.has_found, told.addr, told.pages) == (True, None, set()), "not known yet"
    for first, page, count in RUNS:
        take_line("memtester", f"|/-testers: map {first} {page} {count}", told)
    assert told.pages == {0x101}
    line = "FAILURE: possible bad address line at offset 0x0000000000002000."
    take_line("memtester", line, told)
    assert (told.addr, told.pages) == (None, {0x101, 0x80})
