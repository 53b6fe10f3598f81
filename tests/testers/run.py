# SPDX-License-Identifier: MIT
"""Gives each tester the same faults, and writes what it finds: hours, in parts.

Each fault has a line in the results for each tester, from which a later call goes on. First each
fault is alone in the machine for a limited time, in the order of the faults and, for each, of the
testers, so that any part is a table of all testers. What a tester has not found in that time it
gets again for a whole pass, several faults in one machine (faults.groups).
"""

import argparse
import itertools
import json
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from okramlib import Trouble, version  # noqa: E402
from testers import faults  # noqa: E402
from testers.faults import groups  # noqa: E402
from testers.linux import InLinux  # noqa: E402
from testers.memtest86 import Image, Memtest86  # noqa: E402
from testers.okram import Okram  # noqa: E402
from testers.released import every  # noqa: E402
from testers.trial import LIMIT, PASSED, program_of, run_together, run_trial  # noqa: E402

RESULTS = TESTS / "testers" / "results.jsonl"
SCHEMA = TESTS / "testers" / "results.schema.json"
_OLDER = [False, "", False]  # preallocated, program, from_entry, which older rows lack
FIELDS = [field["title"] for field in json.loads(SCHEMA.read_text())["prefixItems"]]  # of a line

TESTERS = {
    tester.name: tester
    for tester in (
        Okram("quick"),
        Okram("standard"),
        Okram("standard", passes=3),
        Okram("thorough"),
        Memtest86("6.10", "memtest86+-6.10.bin"),
        Memtest86("7.20", "memtest86+-7.20.bin"),
        # With two CPUs and several faults it halts in its test 3, within seconds.
        Memtest86("8.10", "memtest86+-8.10.bin", with_several="nosmp"),
        InLinux("memtester", "one loop"),
        InLinux("memtester", "one loop", "4.7.1", "sid"),
        InLinux("stressapptest", "60 seconds"),
        InLinux("stressapptest", "60 seconds", "1.0.11", "sid"),
    )
}

_PASS_LIMITS = 1.5  # whole passes on good memory: more is too long
_PASS_LIMITS_TOGETHER = 6  # a pass that finds many faults takes longer
_LIMIT_S = 7200  # where such a pass was not measured
_LIMIT_MIN_S = 100
_GROUP = 48  # faults in one machine, at most


def main():
    arguments = _arguments()
    try:
        n = run_all(arguments)
    except Trouble as trouble:
        sys.exit(f"bench-testers: {trouble}")
    except OSError as error:
        sys.exit(f"bench-testers: {error}")
    except KeyboardInterrupt:
        sys.exit("bench-testers: stopped; the next call goes on from here.")
    print(f"bench-testers: {n} results are new in {arguments.results}.")


def _arguments():
    parser = argparse.ArgumentParser(prog="bench-testers", description=__doc__)
    add = parser.add_argument
    add("--results", type=Path, default=RESULTS, metavar="FILE", help=f"({RESULTS})")
    add("--hours", type=float, default=float("inf"), help="begin no run after these")
    add("--faults", default="", metavar="LIST", help="numbers, such as 1-20,25; 0: good memory")
    add("--testers", default=",".join(TESTERS), metavar="LIST", help="of %(default)s")
    add("--again", action="store_true", help="what was run with another build of the tester")
    add("--image", action="append", default=[], metavar="NAME=FILE", help="another tester's")
    add(
        "--limit",
        type=float,
        default=_LIMIT_S,
        metavar="SECONDS",
        help="of a run, by QEMU's CPUs",
    )
    add(
        "--alone",
        type=float,
        default=_LIMIT_S,
        metavar="SECONDS",
        help="of QEMU's CPUs, after which a fault is given together with others; 0: at once",
    )
    add(
        "--group",
        type=int,
        default=_GROUP,
        metavar="N",
        help="faults in one machine, at most (%(default)s)",
    )
    return parser.parse_args()


def run_all(arguments):
    """How many results are new."""
    end = time.monotonic() + 3600 * arguments.hours
    done = read_results(arguments.results)
    numbers, testers = _numbers(arguments.faults, len(every())), _testers(arguments)
    n = 0
    for rows, left in itertools.chain(
        _alone(numbers, testers, done, arguments), _together(numbers, testers, done, arguments)
    ):
        for row in rows:
            n += 1
            done[row["fault"], row["tester"]] = row
            with arguments.results.open("a") as out:
                out.write(line_of(row))
            print(_line(row, left), flush=True)
        if time.monotonic() >= end:
            break
    return n


def _alone(numbers, testers, done, arguments):
    """Yields the rows of each run, and how many runs are left."""

    def limit_alone(drawn):
        return min(arguments.alone, arguments.limit) if drawn else arguments.limit

    chosen = numbers if arguments.alone else numbers & {0}
    todo = list(missing(chosen, testers, done, limit_alone, arguments.again))
    for n, (drawn, tester) in enumerate(todo, 1):
        limit_s = limit_of(tester.name, done, limit_alone(drawn))
        yield [run_trial(tester, drawn, limit_s)], len(todo) - n


def _together(numbers, testers, done, arguments):
    """The same for the faults that have no valid result yet. A run that leaves some undecided is
    repeated with those; if it decides none, with each half of them."""
    for tester in testers:
        left = missing(numbers, [tester], done, lambda _: arguments.limit, arguments.again)
        limit_s = limit_of(tester.name, done, arguments.limit, _PASS_LIMITS_TOGETHER)
        drawn = [one for one, _ in left if one]
        own = tester.own() if any(one.place == faults.OWN for one in drawn) else (0, 0)
        todo = groups(drawn, arguments.group, own, tester.start())
        while todo:
            group = todo.pop(0)
            if len(group) == 1:
                yield [run_trial(tester, group[0], limit_s)], len(todo)
                continue
            rows = run_together(tester, group, limit_s)
            if limit_s < arguments.limit:  # a pass is much shorter: one of them holds it up
                rows = [row for row in rows if row["end"] != LIMIT]
            left = [one for one in group if one.number not in {row["fault"] for row in rows}]
            middle = len(left) if rows else len(left) // 2
            todo[:0] = [half for half in (left[:middle], left[middle:]) if half]
            if rows:
                yield rows, len(todo)


def line_of(row):
    """Without the names of its fields, which are the larger part."""
    return json.dumps([row.get(name) for name in FIELDS], separators=(",", ":")) + "\n"


def read_results(path):
    """{(fault, tester): row}; of several rows of a run the last counts, of another release's faults
    none."""
    rows = {}
    if path.exists():
        for number, line in enumerate(path.read_text().splitlines(), 1):
            try:
                values = json.loads(line)
                values += _OLDER[len(values) - len(FIELDS) :] if len(values) < len(FIELDS) else []
                row = dict(zip(FIELDS, values, strict=True))
                if row["release"] in (None, version()):
                    rows[row["fault"], row["tester"]] = row
            except (ValueError, KeyError, TypeError) as error:
                raise Trouble(f"{path}, line {number} is not a result: {error}.") from None
    return rows


def missing(numbers, testers, done, limit, again=False):
    """What is still to be run: (fault, tester). What a shorter limit ended is run again; `again`:
    also what was run with another build. limit(fault): in seconds. With tester.after, only what
    that other tester has not found."""
    drawn = {0: None, **{one.number: one for one in every()}}
    for number in sorted(numbers & drawn.keys()):
        for tester in testers:
            if number and tester.after and _end(done, number, tester.after) != PASSED:
                continue
            row = done.get((number, tester.name))
            longer = limit_of(tester.name, done, limit(drawn[number]))
            if (
                row is None
                or (row["end"] == LIMIT and row["limit_s"] < round(longer))
                or (again and row["program"] != program_of(tester))
            ):
                yield drawn[number], tester


def _end(done, number, name):
    row = done.get((number, name))
    return row["end"] if row else None


def limit_of(name, done, limit_s, passes=_PASS_LIMITS):
    good = done.get((0, name))
    if good and good["end"] == PASSED:
        return min(limit_s, max(_LIMIT_MIN_S, passes * good["cpu_s"]))
    return limit_s


def _testers(arguments):
    chosen = []
    for name in filter(None, arguments.testers.split(",")):
        if name not in TESTERS:
            raise Trouble(f"{name} is not one of {', '.join(TESTERS)}.")
        chosen.append(TESTERS[name])
    for text in arguments.image:
        name, equals, path = text.partition("=")
        if not equals or not name or name in TESTERS:
            raise Trouble(f"--image {text}: it must read NAME=FILE, with a name of its own.")
        chosen.append(Image(name, path))
    return chosen


def _numbers(text, most):
    if not text:
        return set(range(most + 1))
    chosen = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not first.isdecimal() or not last.isdecimal() or int(last) > most:
            raise Trouble(f"--faults: '{part}' is not a number from 0 to {most} or a range.")
        chosen |= set(range(int(first), int(last) + 1))
    return chosen


def _line(row, left):
    page = f", {row['page']} page" if row["page"] else ""
    why = f" ({row['why']})" if row["why"] else ""
    return (
        f"fault {row['fault']}, {row['kind']}, {row['place'] or 'good memory'}:"
        f" {row['tester']}: {row['end']}{why}{page}, {row['seconds']:.0f} s,"
        f" {row['cpu_s']:.0f} CPU s, {row['writes']} writes of a cell; {left} runs left"
    )


if __name__ == "__main__":
    main()
