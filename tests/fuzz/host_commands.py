# SPDX-License-Identifier: MIT
"""Calls of the host command with hostile input, made from valid reports at random but seeded.

As a program: `python -m fuzz.host_commands FOLDER SEED ROUNDS` makes the calls one after another in
this process, and prints a line of JSON for each: what it was, its exit code, and its output. The
limits of the process hold for all of them.
"""

import json
import os
import random
import resource
import sys
import tempfile
from pathlib import Path

from fuzz.mutations import changed
from okramlib import cli, environment
from okramlib.guard import BACKUP, LIST, MASKED, STATUS
from tools import guard_samples
from tools.sample_runs import make_run
from tools.samples import GOOD, HEAD

MEMORY_MAX = 1 << 31  # of addresses: a call that needs more ends with an error
CPU_SECONDS_MAX = 120

COUNTS = [0, 1, 2, 63, 64, 4096, 2**32, 2**40, 2**52, 2**63, 2**64 - 1, 3.0]
NUMBERS = [*COUNTS, 2**64, -1, -(2**63), 10**30, 0.5, -0.0, 5e-324, 1e-300, 1e-7, 1e18, 1.7e308]
NUMBERS += [-1e18]
TEXTS = ["", "\x1b[2J", "\x9b31m", "\u202e0x1\u202c", "\u2066x\u2069", "\ud800", "\uffff", "a\nb"]
TEXTS += [
    "=1+1",
    "+1",
    "-1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "<script>alert(1)</script>",
    "]]>",
    "&#27;",
]
TEXTS += ["0x0", "0xffffffffffffffff", "$(reboot)", "`reboot`", "{{ 7 * 7 }}", "[red]", "x" * 5000]
TEXTS += ["badram=0x1000,0x1000;reboot", "memmap=1", "grub-default", "idle", "2:1"]
OTHERS = [None, True, False, [], {}, [[]], [0] * 3000]


def hostile_value(rng, value):
    """One that may still be valid, most of the time."""
    if rng.randrange(12) == 0:
        return rng.choice(OTHERS)
    if isinstance(value, bool) or value is None:
        return rng.choice([True, False, None, "0x1000"])
    if isinstance(value, int | float):
        is_count = isinstance(value, int) and rng.randrange(5)
        return rng.choice(COUNTS if is_count else NUMBERS)
    if isinstance(value, str):
        return rng.choice(TEXTS)
    if isinstance(value, list):
        return value * rng.choice([0, 2, 300])
    return {}


def hostile_record(rng, record):
    """With a field or two replaced, at any depth; or with one less or more."""
    record = json.loads(json.dumps(record))
    for _ in range(rng.choice((1, 1, 2, 6))):
        place = record
        while True:
            keys = list(place) if isinstance(place, dict) else range(len(place))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(place[key], dict | list) and place[key] and rng.randrange(4):
                place = place[key]
                continue
            if rng.randrange(20) == 0 and isinstance(place, dict):
                place[rng.choice(TEXTS)] = place.pop(key)
            else:
                place[key] = hostile_value(rng, place[key])
            break
    return record


def report(rng):
    """The bytes of a file of records."""
    records = make_run(nodes=rng.choice((1, 2)), cpus_per_node=2, seed=rng.randrange(4))
    records = rng.sample(records, rng.randrange(1, 40)) if rng.randrange(3) else records
    records = [HEAD, *({"t": 1, **record} for record in GOOD), *records]
    rng.shuffle(records[20:])
    for _ in range(rng.choice((1, 3, 10, 40))):
        at = rng.randrange(len(records))
        records[at] = hostile_record(rng, records[at])
    text = "".join(json.dumps(record) + "\n" for record in records)
    if rng.randrange(3) == 0:
        text = changed(rng, text)
    return text.encode(errors="surrogatepass" if rng.randrange(2) else "replace")


def change_variables(rng, box):
    """What the guard leaves, changed."""
    status = {"type": "guard", "version": "0.1.0", "state": "masked", "source": "variable"}
    status |= {"why": None, "made": "2026-11-22", "pages": 3, "masked": 2, "held": 1}
    status |= {"reserved": 1, "outside": 0, "between": 0, "microseconds": 5, "patrol": None}
    if rng.randrange(2):
        status["patrol"] = {"bytes": 1, "of": 2, "next": "0x1000", "lap": 1, "faults": 0}
    backup = {"type": "guard-backup", "version": 1, "way": "driver", "driver": "Driver0001"}
    backup |= {"order": "0100", "partition": None, "files": ["\\EFI\\okram\\okram-guardx64.efi"]}
    backup |= {"folders": ["\\EFI\\okram"]}
    worse = rng.randrange(4)  # one of them alone, most often
    for number, (name, record) in enumerate(((STATUS, status), (BACKUP, backup))):
        text = json.dumps(hostile_record(rng, record) if worse == number else record)
        text = changed(rng, text) if worse == number and rng.randrange(4) == 0 else text
        box.set(name, text.encode(errors="replace") + rng.choice((b"", b"\n", b"\0")))
    for name in (LIST, MASKED):
        data = bytearray(box.good_list)
        for _ in range(rng.randrange(3) if worse > 1 else 0):
            data[rng.randrange(len(data))] = rng.randrange(256)
        box.set(name, data)


def calls(rng, folder, box):
    """The arguments of some calls, for files that are made here."""
    names = []
    for number in range(2):
        name = folder / rng.choice(
            (f"run{number}", f"r\x1b{number}", f"\udcff{number}", f"\u202e{number}")
        )
        name.write_bytes(report(rng))
        names.append(str(name))
    one, other = names
    yield ["report", one]
    yield ["report", "--html", "-", one]
    yield ["report", "--csv", "-", one]
    way = rng.choice((["--html", "-"], ["--csv", "-"], []))
    yield ["report", *way, "--compare", one, other]
    yield ["report", "--efivars", str(box.efivars)]
    yield ["badram", "--to", "all", *rng.choice((["--pages"], [])), one]
    yield ["badram", "--ram", rng.choice(("0-1T", "0-1", "4G-5G")), "--json", other]
    if rng.randrange(4) == 0:
        yield ["badram", "--map", one, other]
    change_variables(rng, box)
    options = [str(option) for option in box.options(is_install=False)]
    yield ["guard", "status", *options, *rng.choice((["--json"], []))]
    yield ["guard", "remove", *options]
    for path in folder.iterdir():
        path.unlink()


def call(arguments):
    """(exit code, standard output and error in bytes, seconds of CPU) of one call. Both streams are
    files, for the programs that it starts write there, too."""
    sys.argv = ["okram", *arguments]
    usual = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        begin = sum(os.times()[:4])
        try:
            code = cli.main()
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        seconds = sum(os.times()[:4]) - begin
        for number, stream in enumerate(usual, 1):
            os.dup2(stream, number)
            os.close(stream)
        for file in (out, err):
            file.seek(0)
        return code, out.read(), err.read(), seconds


def main(folder, seed, rounds):
    results = os.fdopen(os.dup(1), "w")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS_MAX, CPU_SECONDS_MAX))
    environment.make = lambda *_: None  # they are built
    box = guard_samples.make(Path(folder) / "box")
    box.good_list = box.list_of(guard_samples.BAD)
    files = Path(folder) / "files"
    files.mkdir()
    for number in range(int(rounds)):
        rng = random.Random(f"{seed}-{number}")
        for arguments in calls(rng, files, box):
            print(json.dumps({"call": arguments, "round": number}), file=results, flush=True)
            code, out, err, seconds = call(arguments)
            found = {"code": code, "seconds": seconds}
            found |= {"out": out.decode("latin-1"), "err": err.decode("latin-1")}
            print(json.dumps(found), file=results, flush=True)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"max_kib": most}), file=results, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
