# SPDX-License-Identifier: MIT
"""A run in progress: events as lines, the present step as a spinner on a terminal."""

import time

from . import output, report
from .run import Watcher
from .units import count, format_seconds, format_size

_FAULTS_SHOWN = 10
_TICK_S = 0.25


class Show(Watcher):
    """A context manager around the run; `finish` prints the report."""

    def __init__(self, verbose=False):
        self._console = output.console(soft_wrap=True)
        self._status = self._console.status("starting")
        self._verbose = verbose
        self._records = []
        self._doing = "starting"
        self._faults = self._external = 0
        self._begin = self._shown = time.monotonic()

    def __enter__(self):
        self._status.start()
        return self

    def __exit__(self, *_):
        self._status.stop()

    def record(self, record):
        self._records.append(record)
        handler = getattr(self, f"_on_{record['type']}", None)
        if handler:
            handler(record)

    def line(self, text):
        if self._verbose or self._records:
            self._console.print(text, markup=False)

    def tick(self, qemu):
        now = time.monotonic()
        if now - self._shown >= _TICK_S:
            self._shown = now
            faults = f", {count(self._faults, 'fault')}" if self._faults else ""
            self._status.update(f"{self._doing} ({format_seconds(now - self._begin)}{faults})")

    def finish(self, outcome):
        if not self._records:
            return
        self._console.print()
        report.print_report(self._console, outcome.records)
        report.print_line(outcome.records)

    def _on_start(self, start):
        self._doing = "detecting the machine"
        self._console.print(f"okram {start['version']}, options: {start['cmdline']}", markup=False)

    def _on_machine(self, machine):
        self._doing = "measuring and testing"
        self._console.print(
            f"{count(machine['cpus'], 'CPU')}, {count(machine['nodes'], 'node')},"
            f" {format_size(machine['ram_bytes'])} RAM"
        )

    def _on_bandwidth(self, record):
        self._doing = "measuring bandwidth"

    def _on_test(self, test):
        self._doing = "testing"
        self._console.print(
            f"pass {test['pass']}  {test['test']:<24} {format_seconds(test['seconds']):>8}"
            f"  {count(test['faults'], 'fault')}",
            markup=False,
        )

    def _on_fault(self, fault):
        self._faults += 1
        if self._faults <= _FAULTS_SHOWN:
            self._console.print(
                f"fault at {fault['addr']}: expected {fault['expected']}, found {fault['found']}"
                f" ({fault['test']}, CPU {fault['cpu']}, node {fault['node']})",
                style="red",
                markup=False,
            )
        elif self._faults == _FAULTS_SHOWN + 1:
            self._console.print("more faults: see the report at the end", style="red")

    def _on_external(self, change):
        self._external += 1
        if self._external <= _FAULTS_SHOWN:
            self._console.print(
                f"{change['addr']} was written by a device or by firmware ({change['test']})",
                markup=False,
            )

    def _on_alias(self, alias):
        self._console.print(
            f"alias pair: {alias['addr']} and {alias['partner']},"
            f" {count(alias['pages'], 'page')} like it ({alias['test']})",
            style="red",
            markup=False,
        )
