# SPDX-License-Identifier: MIT
"""Seconds and memory of `okram fleet`: reports of a fleet that does not exist are imported,
imported again, and asked, by DuckDB and, if it is there, by Spark. Both have to find what is
planted in them, and nothing else, and to give the same answers.

Memory is that of a program and those that it has started, together and at most: what they share
counts for each.

usage: fleet_bench.py [--reports N] [--jobs N] [--engines duckdb,pyspark] [--folder DIR]: two
reports of each machine; what is made stays in DIR (build/fleet).
"""

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from fleet.reports import Truths, rounded  # noqa: E402

OKRAM = ROOT / "tools" / "okram"
MAKER = ROOT / "tests" / "fleet" / "reports.py"
ASK = ROOT / "tests" / "bench" / "fleet_ask.py"
SAMPLES_S = 0.2


class Watch(threading.Thread):
    """The time and the memory of a program, lap by lap."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self._pid = pid
        self._begin = time.monotonic()
        self._begin_cpu = self._cpu = self._peak = 0
        self.start()

    def run(self):
        while self._look():
            time.sleep(SAMPLES_S)

    def _look(self):
        memory, cpu = usage(self._pid)
        self._peak, self._cpu = max(self._peak, memory), max(self._cpu, cpu)
        return memory

    def lap(self):
        """Seconds, those of CPUs, and MiB at most, since the lap before."""
        self._look()
        seconds, cpu, peak = time.monotonic() - self._begin, self._cpu - self._begin_cpu, self._peak
        self._begin, self._begin_cpu, self._peak = time.monotonic(), self._cpu, 0
        return f"{seconds:.1f}", f"{cpu:.1f}", f"{peak >> 20}"


def usage(pid):
    """(bytes, seconds of CPUs) of a program and of those that it has started: readers, Spark's
    Java."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        times = Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[11:15]
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0, 0
    own = pages * os.sysconf("SC_PAGE_SIZE"), sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
    return tuple(map(sum, zip(own, *map(usage, children))))


def laps(*arguments):
    """Yields (line, *Watch.lap()) of each line that a program prints, then of its end."""
    with subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, text=True
    ) as program:
        watch = Watch(program.pid)
        for line in program.stdout:
            yield line.strip(), *watch.lap()
        program.wait()
        yield "end", *watch.lap()
    if program.returncode != 0:
        sys.exit(f"fleet_bench: {' '.join(map(str, arguments))} ended with {program.returncode}.")


def print_row(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def measure_import(what, data, folder, jobs):
    command = ("fleet", "import", data, folder, "--jobs", str(jobs))
    (_, *measured), _ = laps(OKRAM, *command)
    print_row(what, *measured)


def made_reports(n, parent):
    """The folder with the reports, and its bytes."""
    folder = parent / f"reports-{n}"
    if not folder.exists():
        made = folder.with_name("new")
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run([sys.executable, MAKER, str(n // 2), made], check=True)
        made.with_name("new.json").rename(folder.with_name(f"{folder.name}.json"))
        made.rename(folder)
    return folder, sum(path.stat().st_size for path in folder.glob("*/*"))


def asked(data, engine, out):
    """The rows of all answers; prints what each has cost."""
    print(f"\n| {engine} | seconds | of CPUs | MiB |\n|---|---|---|---|", flush=True)
    for lap in laps(ASK, data, engine, out):
        print_row(*lap)
    return json.loads(out.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--reports", type=int, default=100_000)
    add("--jobs", type=int, default=os.cpu_count())
    has_spark = importlib.util.find_spec("pyspark")
    add("--engines", default="duckdb,pyspark" if has_spark else "duckdb")
    add("--folder", type=Path, default=ROOT / "build" / "fleet")
    arguments = parser.parse_args()
    folder, size = made_reports(arguments.reports, arguments.folder)
    data = arguments.folder / f"data-{arguments.reports}"
    shutil.rmtree(data, ignore_errors=True)
    print(f"{arguments.reports} reports, {size / 1e6:.0f} MB, {os.cpu_count()} CPUs\n")
    print("| | seconds | of CPUs | MiB |\n|---|---|---|---|", flush=True)
    measure_import(f"import, --jobs {arguments.jobs}", data, folder, arguments.jobs)
    measure_import("import again", data, folder, arguments.jobs)
    parquet = sum(path.stat().st_size for path in data.glob("*/*/*.parquet"))
    print(f"\nParquet: {parquet / 1e6:.0f} MB")
    truths = Truths.read(folder.with_name(f"{folder.name}.json"))
    found = {
        engine: asked(data, engine, arguments.folder / f"{engine}.json")
        for engine in arguments.engines.split(",")
    }
    wrong = [engine for engine, rows in found.items() if Truths.found(rows) != truths]
    first, *others = ({name: rounded(rows) for name, rows in of.items()} for of in found.values())
    differing = [name for other in others for name in first if first[name] != other[name]]
    if wrong or differing:
        sys.exit(f"fleet_bench: not what is planted: {wrong}; answers that differ: {differing}")
    print("\nWhat is planted is found, and nothing else; the answers are equal.")


if __name__ == "__main__":
    main()
