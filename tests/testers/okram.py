# SPDX-License-Identifier: MIT
"""okram at one of its levels, by its records on the serial port."""

import re
import struct
from functools import cache

from okramlib import BUILD, Trouble, records, version
from okramlib.machine import IMAGE
from okramlib.run import run
from testers.machine import machine

_ELF = BUILD / "okram.elf"  # as in the image

_OWN_TIMEOUT_S = 300


class Okram:
    stops_by = "q"  # then it gives its result
    gives_badram = True
    program = BUILD / "stripped.elf"

    def __init__(self, level, passes=1):
        self.level, self.passes = level, passes
        self.after = f"okram-{level}" if passes > 1 else None  # it gets what that does not find
        self.name = f"okram-{level}" + (f"-{passes}-passes" if passes > 1 else "")
        self.title = f"okram {version()}, {level}" + (f", {passes} passes" if passes > 1 else "")

    def machine(self, faults, ends_at):
        cmdline = f"serial=jsonl exit=qemu bandwidth=off tests={self.level} passes={self.passes}"
        return machine(faults, image=IMAGE, cmdline=cmdline)

    def own(self):
        """Where it is while it tests: what a quick test has never had together with the rest."""
        return _home()

    def start(self):
        return range(0)

    def entry(self):
        return _entry()

    def poll(self, qemu, told):
        line = qemu.line(0.1)
        if not isinstance(line, str):
            return
        told.said.append(line)
        try:
            record = records.parse(line)
        except records.BadLine:
            return
        take_record(record, told)


@cache
def _entry():
    """By a tag of the Multiboot2 header (2.0, 3.1.5): GRUB puts okram where it is linked."""
    with _ELF.open("rb") as elf:
        tag = re.search(struct.pack("<HHI", 3, 0, 12) + b"(.{4})", elf.read(32768), re.DOTALL)
    if not tag:
        raise Trouble(f"{_ELF} has no entry for Multiboot2.")
    return int.from_bytes(tag[1], "little")


@cache
def _home():
    outcome = run(machine(cmdline="tests=quick bandwidth=off"), timeout=_OWN_TIMEOUT_S)
    if outcome.trouble:
        raise Trouble(f"okram does not run on good memory: {outcome.trouble}")
    unpaired = outcome.last("result").get("unpaired")
    if not unpaired:
        raise Trouble("okram does not say where it is in a quick test.")
    home = unpaired[0]
    base, end = int(home["base"], 16), int(home["end"], 16)
    return base, end - base


def take_record(record, told):
    kind = record["type"]
    if kind == "start":
        told.version, told.has_begun, told.has_named_all = record["version"], True, True
    elif kind in ("fault", "alias"):
        told.find(int(record["addr"], 16))
    elif kind == "badram" and record["bad_pages"]:
        # The only record of a bad page that okram finds in a place before it moves there.
        told.find(int(record["patterns"][0][0], 16))
        told.given_up = record["sacrificed_pages"]
    elif kind == "result":
        told.has_ended = True
        if record["status"] == "error":
            told.why = "internal error"
