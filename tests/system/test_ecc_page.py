# SPDX-License-Identifier: MIT
"""The page of corrected errors without an address: found by reading halves of what was swept.

The plugin reports a read that ECC had to correct; QEMU's monitor then fills a bank.
"""

import random

import pytest

from okramlib.corrected import BANK, STATUS
from okramlib.run import Watcher
from okramlib.units import GIB, MIB, PAGE
from system.harness import check_found, follow, named
from system.watchers import Once, Together, press_q

ENDLESS = "bandwidth=off passes=0 time=200s"
SLOW = pytest.mark.slow
CORRECTED = f"mce 1 {BANK} {STATUS:#x} 0 0 0"


class UntilFound(Watcher):
    """Presses q after the first test that ends once that many pages are found."""

    def __init__(self, pages=1):
        self._left = pages
        self._is_over = False

    def record(self, record):
        self._left -= record["type"] == "ecc_page" and record["result"] == "found"
        self._is_over |= self._left <= 0 and record["type"] == "test"

    def tick(self, qemu):
        if self._is_over:
            qemu.type("q")


def machine(*specs, tests="quick", **options):
    return named("128M", **{"cmdline": f"tests={tests} {ENDLESS}", "faults": specs, **options})


def check_pages(outcome, given, addresses):
    """Each is found, and nothing else; and no error remains that has no page."""
    found = [r["page"] for r in outcome.of_type("ecc_page") if r["result"] == "found"]
    assert sorted(found) == sorted({hex(addr // PAGE * PAGE) for addr in addresses})
    check_found(outcome, given, addresses)
    assert outcome.last("result")["status"] == "fail"
    assert not outcome.of_type("fault")


QUICK_SEEDS = (0, 1)


@pytest.mark.parametrize("one_in", [1, 3])
@pytest.mark.parametrize(
    "seed", [pytest.param(i, marks=[] if i in QUICK_SEEDS else SLOW) for i in range(10)]
)
def test_page_is_found(seed, one_in):
    """Anywhere, by any number of CPUs."""
    where = random.Random(seed)
    addr, bit = where.randrange(32 * MIB, 120 * MIB), where.randrange(8)
    cpus, tests = (1, 2, 4)[seed % 3], ("quick", "standard")[seed // 3 % 2]
    given = machine(f"ecc@{addr:#x}.{bit}:{one_in}", cpus=cpus, tests=tests)
    outcome = follow(given, watcher=UntilFound())
    check_pages(outcome, given, [addr])
    (told,) = [r for r in outcome.of_type("ecc_page") if r["result"] == "found"]
    assert told["bank"] == BANK and told["left_bytes"] == PAGE
    ecc = outcome.last("result")["ecc"]
    assert ecc["corrected"] >= ecc["with_page"] > 8 and not ecc["uncorrected"]


@SLOW
@pytest.mark.parametrize("one_in", [1, 3])
def test_page_above_4_gib(one_in):
    addr = 4 * GIB + 0x12345678
    given = machine(f"ecc@{addr:#x}.0:{one_in}", on="5G")
    outcome = follow(given, watcher=UntilFound())
    check_pages(outcome, given, [addr])


def test_several_pages():
    """Close to each other, and far: the search goes on with what else was swept then."""
    places = [0x2801240, 0x2802240, 0x6105080]
    given = machine(*(f"ecc@{addr:#x}.5" for addr in places))
    outcome = follow(given, watcher=UntilFound(len(places)))
    check_pages(outcome, given, places)


@SLOW
def test_nodes():
    places = [0x2801240, 0x6105080]
    given = machine(*(f"ecc@{addr:#x}.5" for addr in places), on="128M-4cpus-2nodes")
    outcome = follow(given, watcher=UntilFound(len(places)))
    check_pages(outcome, given, places)


@SLOW
def test_its_page_is_tested_again():
    """What ECC corrects then counts, though the data are right."""
    options = "tests=quick bandwidth=off passes=6 range=32M-64M"
    given = machine("ecc@0x2801240.5", cmdline=options)
    outcome = follow(given)
    assert [r["page"] for r in outcome.of_type("ecc_page") if r["result"] == "found"]
    (again,) = outcome.of_type("retest")
    assert again["page"] == "0x2801000" and 0 < again["failed"] <= again["tries"]


def test_faults_beside_it():
    """A page that has lost data does so, whatever ECC corrects elsewhere."""
    given = machine("ecc@0x2801240.5", "stuck1@0x6105080.2")
    outcome = follow(given, watcher=UntilFound())
    (found,) = [r for r in outcome.of_type("ecc_page") if r["result"] == "found"]
    assert found["page"] == "0x2801000"
    check_found(outcome, given, [0x2801240, 0x6105080])


class Noise(Watcher):
    """Errors that come all the time, whatever is read; q after a search."""

    def __init__(self):
        self.searches = 0

    def record(self, record):
        self.searches += record["type"] == "ecc_page"

    def tick(self, qemu):
        if self.searches:
            qemu.type("q")
        else:
            qemu.qmp.monitor(CORRECTED)


def test_errors_from_elsewhere_blame_no_page():
    outcome = follow(machine(tests="march-c-"), watcher=Noise())
    assert outcome.of_type("ecc_page")
    assert all(told["page"] is None for told in outcome.of_type("ecc_page"))
    assert outcome.last("result")["status"] == "corrected"


def test_error_that_does_not_come_again():
    watcher = Together(
        Once("test", lambda qemu: qemu.qmp.monitor(CORRECTED)), Once("ecc_page", press_q)
    )
    outcome = follow(machine(tests="march-c-"), watcher=watcher)
    (told,) = outcome.of_type("ecc_page")
    assert (told["page"], told["result"], told["tries"]) == (None, "not again", 30)
    assert told["left_bytes"] == told["searched_bytes"] > 0
    assert outcome.last("result")["status"] == "corrected"
    assert outcome.last("result")["ecc"] == {"corrected": 1, "uncorrected": 0, "with_page": 0}
