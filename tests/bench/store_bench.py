# SPDX-License-Identifier: MIT
"""How full UEFI's store of variables gets over many runs, measured in OVMF's file of it.

Each boot's variables are the next one's, as on a PC. Some runs find bad pages, and so keep a long
report; of some the power is cut. Printed in the end: the least room that was left after all
variables, which must be 5 KiB or more, and of how many runs a whole report was kept. Exit code 1
when the room was less, a report was kept in part, or a run that ended left none.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib import spec  # noqa: E402
from okramlib.machine import IMAGE, Machine  # noqa: E402
from okramlib.qemu import END, Qemu  # noqa: E402
from okramlib.run import run  # noqa: E402
from okramlib.units import MIB  # noqa: E402
from system import uefi_vars  # noqa: E402

CMDLINE = "tests=mats+ range=32M-33M bandwidth=off"
MEMORY = 64 * MIB
KEPT_FREE = 5 * 1024
DEADLINE_S = 240
CUT_WITHIN_S = 1.5  # of the start record
BAD_RUNS = 0.1  # of all
BAD_PAGES = 60  # of 256


def main():
    arguments = _arguments()
    if not IMAGE.exists():
        sys.exit("store_bench: build/okram.iso is not there: run `make`.")
    chance = random.Random(arguments.seed)
    least, kept, cut, bad = None, 0, 0, []
    with tempfile.TemporaryDirectory() as directory:
        store = Path(directory) / "vars.fd"
        for number in range(arguments.runs):
            if chance.random() < arguments.cuts:
                cut_short(machine(store, chance), chance.uniform(0, CUT_WITHIN_S))
                cut += 1
            else:
                trouble = whole(machine(store, chance), store)
                kept += not trouble
                if trouble:
                    bad.append(f"run {number}: {trouble}")
                    shutil.copyfile(store, f"{tempfile.gettempdir()}/okram-store-{number}.fd")
                    print(bad[-1], flush=True)
            free = uefi_vars.free_bytes(store)
            least = free if least is None else min(least, free)
            if free < KEPT_FREE:
                bad.append(f"run {number}: {free} bytes are left")
            print(f"{number:5} {free:7} bytes left", flush=True)
    print(
        f"{arguments.runs} runs (seed {arguments.seed}): {kept} whole reports, {cut} power cuts, "
        f"at least {least} bytes left, bad: {len(bad)}",
        *bad,
        sep="\n",
    )
    sys.exit(bool(bad))


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--cuts", type=float, default=0.2, help="the part with a power cut (0.2)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def machine(store, chance):
    """With bad pages in some runs, so that the line is long. (QEMU is slow with its plugin.)"""
    given = Machine(memory=MEMORY, cpus=2, uefi=True, vars=store, cmdline=CMDLINE)
    if chance.random() < BAD_RUNS:
        pages = chance.sample(range(32 * MIB >> 12, 33 * MIB >> 12), BAD_PAGES)
        given.faults = [f for page in pages for f in spec.parse(f"stuck0@{page << 12:#x}.1")]
    return given


def whole(given, store):
    """What is wrong with a run, or with what it left; or ""."""
    outcome = run(given, timeout=DEADLINE_S)
    if outcome.trouble:
        return outcome.trouble
    said = [w for w in outcome.last("result").get("warnings", []) if "UEFI" in w]
    try:
        state, _ = uefi_vars.read_report(uefi_vars.after_power_cut(store))
    except AssertionError as error:
        return f"no report that can be read: {said} {error}"
    return "" if state.phase == uefi_vars.DONE else f"no whole report: {said}"


def cut_short(given, seconds):
    with Qemu(replace(given, cmdline=f"{CMDLINE} serial=jsonl exit=qemu")) as qemu:
        while (line := qemu.line(DEADLINE_S)) and line is not END and '"type":"start"' not in line:
            pass
        time.sleep(seconds)


if __name__ == "__main__":
    main()
