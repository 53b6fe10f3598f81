# SPDX-License-Identifier: MIT
"""Seconds, and the memory of the process that took most: reports of a fleet that does not exist are
imported, imported again, and asked, by DuckDB and, if it is there, by Spark.

usage: fleet_bench.py [--machines N] [--engines duckdb,pyspark]: two reports of each machine; what
is made stays in build/fleet.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "fleet"
OKRAM = ROOT / "tools" / "okram"
SINCE = "2025-06-01"  # tests/fleet/reports.py


def measure(what, *arguments):
    begin = time.monotonic()
    program = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    peak = 0
    while program.poll() is None:
        peak = max(peak, memory_of(program.pid))
        time.sleep(0.2)
    if program.returncode != 0:
        sys.exit(f"fleet_bench: '{what}' ended with {program.returncode}.")
    print(f"| {what} | {time.monotonic() - begin:.0f} | {peak >> 20} |", flush=True)


def memory_of(pid):
    """Bytes of a program and of those that it has started: Spark's Java."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(map(memory_of, children))


def reports_of(machines):
    """The folder with the reports, and its bytes."""
    folder = FOLDER / f"reports-{machines}"
    if not folder.exists():
        made = folder.with_name("new")
        shutil.rmtree(made, ignore_errors=True)
        maker = ROOT / "tests" / "fleet" / "reports.py"
        subprocess.run([sys.executable, maker, str(machines), made], check=True)
        made.rename(folder)
    return folder, sum(path.stat().st_size for path in folder.glob("*/*"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, default=50_000)
    has_spark = importlib.util.find_spec("pyspark")
    parser.add_argument("--engines", default="duckdb,pyspark" if has_spark else "duckdb")
    arguments = parser.parse_args()
    folder, size = reports_of(arguments.machines)
    data = FOLDER / f"data-{arguments.machines}"
    shutil.rmtree(data, ignore_errors=True)
    print(f"{2 * arguments.machines} reports, {size / 1e6:.0f} MB, {os.cpu_count()} CPUs\n")
    print("| | seconds | MiB |\n|---|---|---|", flush=True)
    measure("import", OKRAM, "fleet", "import", data, folder)
    measure("import again", OKRAM, "fleet", "import", data, folder)
    for engine in arguments.engines.split(","):
        options = ("--engine", engine, "--since", SINCE, "--html", FOLDER / "page.html")
        measure(f"report, {engine}", OKRAM, "fleet", "report", data, *options)
    parquet = sum(path.stat().st_size for path in data.glob("*/*/*.parquet"))
    print(f"\nParquet: {parquet / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
