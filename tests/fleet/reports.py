# SPDX-License-Identifier: MIT
"""Reports of a fleet that does not exist: the records of a real run (run.jsonl, of QEMU), as many
machines as asked for, and truths that are planted in them. The same seed makes the same fleet.

usage: reports.py MACHINES FOLDER: writes each report to a file, as a web server keeps what okram
has sent, and what is planted to FOLDER.json; two campaigns, a run of each machine in both.
"""

import json
import random
import sys
import uuid
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from crc32c import crc32c

RUN = Path(__file__).with_name("run.jsonl")

SINCE = "2025-06-01"
_CAMPAIGNS = (datetime(2025, 3, 3), datetime(2025, 6, 2))

MODELS = (
    ("ACME R100", "Example 6454S @ 2.20GHz", 21000),
    ("ACME R200", "Example 9354 @ 3.25GHz", 34000),
    ("Maker <b>X</b> 1", "Example 13900K", 61000),
)
PARTS = tuple(f"M{n:03}A8G" for n in range(12))
WEEKS = tuple((2024, week) for week in range(30, 36))
BAD_PART, BAD_WEEK = PARTS[3], WEEKS[4]
BAD_WEEK_SHARE = 0.7  # of machines with that part and week
CORRECTED_PART = PARTS[7]
CORRECTED_SHARE = 0.4
ELSE_SHARE = 0.01  # of all other machines
SLOW = 0.8
NOISE = 0.008  # of bandwidth: one standard deviation
KINDS = (("pin", 27, 1), ("chip", 8, 8), ("cell", None, None))


@dataclass
class Truths:
    """What is planted, or found: sets of machines, if nothing else is said."""

    bad: set = field(default_factory=set)
    slow: set = field(default_factory=set)  # (machine, node)
    changing: set = field(default_factory=set)
    unfinished: set = field(default_factory=set)
    new_bad: set = field(default_factory=set)  # since SINCE
    new_corrected: set = field(default_factory=set)
    more_pages: set = field(default_factory=set)
    kinds: dict = field(default_factory=dict)  # {kind: how many machines}
    modules: set = field(default_factory=set)  # (part, week) that have more than the rest
    parts: set = field(default_factory=set)  # that have more corrected errors than the rest
    runs: int = 0

    @classmethod
    def found(cls, rows):
        """By the rows of the answers, {name: [row]}."""

        def machines(name, **wanted):
            return {row["machine"] for row in rows[name] if row.items() >= wanted.items()}

        return cls(
            bad=machines("bad_machines"),
            slow={(row["machine"], row["cpu_node"]) for row in rows["slow_nodes"]},
            changing=machines("changing_pages"),
            unfinished=machines("unfinished"),
            new_bad=machines("new", what="bad pages"),
            new_corrected=machines("new", what="corrected errors"),
            more_pages=machines("new", what="more bad pages"),
            kinds={row["kind"]: row["machines"] for row in rows["kinds"]},
            modules={(row["part"], row["made"]) for row in rows["modules"] if row["is_more"]},
            parts={row["part"] for row in rows["corrected_errors"] if row["is_more"]},
            runs=sum(row["runs"] for row in rows["runs"]),
        )

    def write(self, path):
        path.write_text(json.dumps(asdict(self), default=list))

    @classmethod
    def read(cls, path):
        found = json.loads(path.read_text())
        return cls(**{name: _as_set(value) for name, value in found.items()})


def _as_set(value):
    """Where JSON has a list; tuples are lists there, too."""
    if not isinstance(value, list):
        return value
    return {tuple(one) if isinstance(one, list) else one for one in value}


def rounded(rows):
    """Of an answer: sums of floating-point numbers depend on their order."""
    return [
        {name: float(f"{v:.9g}") if isinstance(v, float) else v for name, v in row.items()}
        for row in rows
    ]


@dataclass
class _Machine:
    uuid: str
    model: int
    modules: list  # [(part, week, serial)]
    bad_in: tuple  # runs of pages in each campaign
    corrected: tuple  # in each campaign
    kind: tuple
    slow_node: int | None = None
    is_unfinished: bool = False


def fleet(n, seed=1):
    """([(name, bytes)] one by one, Truths, which are whole once all are made)."""
    truths = Truths(modules={(BAD_PART, "{}-W{}".format(*BAD_WEEK))}, parts={CORRECTED_PART})
    return _reports(n, random.Random(seed), truths), truths


def _reports(n, chance, truths):
    template = [json.loads(line) for line in RUN.read_text().splitlines()]
    for number in range(n):
        machine = _machine(number, chance, truths)
        for campaign in (0, 1):
            truths.runs += 1
            records = _records(template, machine, campaign, number, chance)
            yield f"{machine.uuid}-{campaign}", saved(records)


def _machine(number, chance, truths):
    name = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    part, week = PARTS[number % len(PARTS)], WEEKS[number // len(PARTS) % len(WEEKS)]
    modules = [(part, week, f"{chance.getrandbits(32):08x}") for _ in range(2)]
    if number % 10 == 9:  # a mixed pair
        modules[1] = (PARTS[(number + 5) % len(PARTS)], week, modules[1][2])
    is_of_week = (BAD_PART, BAD_WEEK) in [module[:2] for module in modules]
    is_bad = chance.random() < (BAD_WEEK_SHARE if is_of_week else ELSE_SHARE)
    is_of_part = CORRECTED_PART in [module[0] for module in modules]
    has_corrected = chance.random() < (CORRECTED_SHARE if is_of_part else ELSE_SHARE)
    corrected = ((0, 3) if chance.random() < 0.3 else (2, 3)) if has_corrected else (0, 0)
    machine = _Machine(
        name, number % len(MODELS), modules, ((), ()), corrected, KINDS[number % len(KINDS)]
    )
    if has_corrected and not corrected[0]:
        truths.new_corrected.add(name)
    if is_bad:
        _make_bad(machine, chance, truths)
    if chance.random() < 0.01:
        machine.slow_node = number % 2
        truths.slow.add((name, machine.slow_node))
    if not is_bad and not has_corrected and chance.random() < 0.005:
        machine.is_unfinished = True
        truths.unfinished.add(name)
    return machine


def _make_bad(machine, chance, truths):
    """Steady, new in the second campaign, gone in it, or with more pages in it."""
    base = chance.randrange(1 << 10, 1 << 16)
    some, more = ((base, base + 2),), ((base, base + 2), (base + 9, base + 12))
    story = chance.choice(("steady", "steady", "new", "gone", "more"))
    machine.bad_in = {
        "steady": (more, more),
        "new": ((), some),
        "gone": (some, ()),
        "more": (some, more),
    }[story]
    truths.bad.add(machine.uuid)
    truths.kinds[machine.kind[0]] = truths.kinds.get(machine.kind[0], 0) + 1
    if story != "steady":
        truths.changing.add(machine.uuid)
    if story == "new":
        truths.new_bad.add(machine.uuid)
    if story == "more":
        truths.more_pages.add(machine.uuid)


def _records(template, machine, campaign, number, chance):
    runs = machine.bad_in[campaign]
    n_pages = sum(end - base for base, end in runs)
    of_type = {}
    for record in template:
        of_type.setdefault(record["type"], []).append(record)
    board, cpu, _ = MODELS[machine.model]
    started = _started(campaign, number)
    yield of_type["start"][0]
    yield of_type["machine"][0] | {
        "cpu": cpu,
        "memory_ecc": {"state": "on", "by": "controller"},
    }
    yield _identity(machine, board, started, chance)
    yield from of_type["node"]
    for slot, (part, week, serial) in zip("AB", machine.modules):
        yield _module(f"DIMM_{slot}1", part, week, serial)
    for record in of_type["bandwidth"]:
        yield _scaled(record, machine, chance)
    if campaign and machine.is_unfinished:
        return
    yield from of_type["test"]
    if machine.corrected[campaign]:
        yield _mce(machine.corrected[campaign])
    if runs:
        yield _kind(machine)
        pairs = [[f"{base << 12:#x}", f"{end << 12:#x}"] for base, end in runs]
        yield {"t": 90, "type": "pages", "pages": n_pages, "runs": pairs}
        yield _badram(runs, n_pages)
    yield _result(of_type["result"][0], n_pages, machine.corrected[campaign])


def _started(campaign, number):
    at = _CAMPAIGNS[campaign] + timedelta(seconds=13 * number % (20 * 86400))
    return at.strftime("%Y-%m-%dT%H:%M:%S")


def _identity(machine, board, started, chance):
    maker, _, product = board.partition(" ")
    return {
        "t": 0.2,
        "type": "identity",
        "run": f"{chance.getrandbits(128):032x}",
        "date": started,
        "uuid": machine.uuid,
        "system": {"maker": maker, "product": product, "version": None},
        "board": {"maker": None, "product": None, "version": None},
    }


def _module(slot, part, week, serial):
    return {
        "t": 0.3,
        "type": "module",
        "slot": slot,
        "bank": None,
        "slot_by": "serial",
        "address": "0x50",
        "kind": "DDR4",
        "size_bytes": 8 << 30,
        "maker": "Maker",
        "part": part,
        "serial": serial,
        "configured_mt_s": 3200,
        "jedec_mt_s": 3200,
        "form": "UDIMM",
        "ranks": 1,
        "chip_bits": 8,
        "data_bits": 64,
        "ecc_bits": 8,
        "maker_code": "0x2c",
        "chip_maker": "Maker",
        "year": week[0],
        "week": week[1],
        "timings": None,
        "profiles": [],
        "problems": [],
    }


def _scaled(record, machine, chance):
    mb_s = MODELS[machine.model][2] * (1 + chance.gauss(0, NOISE))
    if record["cpu_node"] == machine.slow_node:
        mb_s *= SLOW
    return record | {
        "mb_s": {
            "mean": round(mb_s, 1),
            "stddev": 12.5,
            "min": round(mb_s - 20, 1),
            "max": round(mb_s + 20, 1),
        }
    }


def _mce(count):
    return {
        "t": 40,
        "type": "mce",
        "cpu": 0,
        "bank": 7,
        "status": "0x8c00004000010090",
        "addr": None,
        "corrected": True,
        "count": count,
        "memory": True,
        "channel": "node 0, UMC 1",
    }


def _kind(machine):
    kind, bit, bits = machine.kind
    found = {"t": 89, "type": "kind", "kind": kind, "confidence": "sure", "evidence": "planted"}
    return found | ({"bit": bit, "bits": bits, "bus_bits": 64} if bits else {})


def _badram(runs, n_pages):
    patterns = [
        [f"{page << 12:#x}", "0xffffffffff000"] for base, end in runs for page in range(base, end)
    ]
    return {
        "t": 91,
        "type": "badram",
        "bad_pages": n_pages,
        "patterns": patterns,
        "sacrificed_pages": n_pages,
        "ranges": len(runs),
        "line": "badram=" + ",".join(f"{address},{mask}" for address, mask in patterns),
    }


def _result(record, n_pages, corrected):
    return record | {
        "status": "fail" if n_pages else "corrected" if corrected else "pass",
        "complete": True,
        "passes": 1,
        "bad_pages": n_pages,
        "ecc": {"corrected": corrected, "uncorrected": 0, "with_page": 0},
    }


def saved(records):
    """As okram sends it."""
    lines = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in records).encode()
    is_done = b'"type":"result"' in lines
    head = {
        "type": "saved",
        "version": 1,
        "state": "done" if is_done else "running",
        "bytes": len(lines),
        "crc32c": f"{crc32c(lines):#010x}",
    }
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + lines


def main(n, folder):
    reports, truths = fleet(int(n))
    for number, (name, data) in enumerate(reports):
        path = Path(folder) / f"{number // 10000:04}" / name
        if number % 10000 == 0:
            path.parent.mkdir(parents=True)
        path.write_bytes(data)
    truths.write(Path(f"{folder}.json"))


if __name__ == "__main__":
    main(*sys.argv[1:])
