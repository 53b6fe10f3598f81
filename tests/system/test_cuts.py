# SPDX-License-Identifier: MIT
"""The power is cut at any write to the flash: a whole report is left, once known the new verdict.

QEMU tells of each byte that firmware writes to the flash with the variables. So the flash is known
as it is after each of these writes, which is what a machine that is switched off there keeps.
"""

import re
import shutil
from dataclasses import dataclass
from itertools import groupby

import pytest

from okramlib import records, saved, varstore
from system.harness import attach, follow, named
from system.test_last_report import plain
from system.test_menu import shown

OPTIONS = "tests=mats+ bandwidth=off"
QUICK = "save=off bandwidth=off tests=address range=1M-4M"
FAULT = "stuck0@0x2000123.4"
WRITE = re.compile(r"pflash_data_write system\.flash1: data offset:(\w+) size:(\d) value:(\w+)\n")
LIST = "OkramGuardNew"


@dataclass(frozen=True)
class Left:
    """What there is after a cut."""

    state: str  # of the head
    status: str  # "": the run did not finish
    bad_pages: int
    is_old: bool
    n_records: int
    has_list: bool

    @property
    def row(self):
        of = "the old run" if self.is_old else "the new run"
        end = self.status.upper() or "did not finish"
        guard = "with" if self.has_list else "without"
        return f"{of}: {end}, {self.bad_pages} bad pages, {self.n_records} records, {guard} list"

    @property
    def headline(self):
        """Of the loader's menu."""
        pages = ", 1 bad page" if self.bad_pages else ""
        return f"okram: last report: {self.status.upper() or 'DID NOT FINISH'}{pages}, "


def machine(path, cmdline=OPTIONS, **options):
    return named("uefi-64M", vars=path, cmdline=cmdline, **options)


def lines_of(variables):
    """The records of a report that is whole, its head first."""
    kept = saved.decode(variables)
    assert kept.head and not kept.problems and kept.data, kept.problems
    return [kept.head, *map(records.parse, kept.jsonl.splitlines())]


def left_by(variables, old_date):
    head, state, *rest = lines_of(variables)
    return Left(
        head["state"],
        state.get("status", ""),
        state["bad_pages"],
        state["started"] == old_date,
        len(rest),
        any(variable.name == LIST for variable in variables),
    )


def seen(path):
    """Okram's variables, by the reader that knows what a cut leaves."""
    return tuple(varstore.read(path, "Okram"))


def after_each_write(path, log):
    """Okram's variables before the first write and after each, which is made in the file."""
    yield seen(path)
    for at, size, value in WRITE.findall(log.read_text()):
        with open(path, "r+b") as file:
            file.seek(int(at, 16))
            file.write(int(value, 16).to_bytes(int(size), "little"))
        yield seen(path)


@pytest.mark.slow
def test_a_cut_at_each_write_of_a_run(tmp_path):
    """A run that fails, where the report of one that passed is."""
    store, flash, log = (tmp_path / name for name in ("vars.fd", "flash.fd", "flash.log"))
    follow(machine(store))
    shutil.copyfile(store, flash)
    old_date = lines_of(seen(store))[1]["started"]
    follow(machine(store, faults=FAULT, extra=attach("flash-writes", path=log)))

    starts, known, lefts = [], {}, []
    for variables in after_each_write(flash, log):
        if variables not in known:
            known[variables] = left_by(variables, old_date)
        lefts.append(known[variables])
        if not lefts[:-1] or lefts[-1] != lefts[-2]:
            starts.append(tmp_path / f"{len(lefts)}.fd")
            shutil.copyfile(flash, starts[-1])
    assert flash.read_bytes() == store.read_bytes()  # so no write was missed
    assert len(lefts) > 5000

    print("\nafter writes    what the next start finds")
    rows, at = [], 0
    for left, group in groupby(lefts):
        end = at + len(list(group))
        print(f"{at:6} - {end - 1:6}  {left.row}")
        rows.append(left)
        at = end
    check(rows)
    for image, left in zip(starts, rows, strict=True):
        text = plain(shown(follow(machine(image, QUICK))))
        assert left.headline in text, (left, text)


def check(rows):
    """The old verdict; a run that did not finish; from the first write of its result on, that."""
    assert rows[0].is_old and rows[0].status == "pass"
    new = rows[1:]
    assert not any(left.is_old for left in new)
    unfinished = [left for left in new if not left.status]
    verdicts = new[len(unfinished) :]
    assert unfinished == new[: len(unfinished)] and len(verdicts) == 2
    assert all(left.state != "done" for left in unfinished)
    assert unfinished[0].bad_pages == 0 and unfinished[-1].bad_pages == 1
    assert unfinished[-1].has_list  # in mid-run
    for left in verdicts:
        assert (left.state, left.status, left.bad_pages, left.has_list) == ("done", "fail", 1, True)
    assert verdicts[1].n_records > verdicts[0].n_records >= 3
