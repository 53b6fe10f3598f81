# SPDX-License-Identifier: MIT
"""Instructions by folder, from a plugin's counts."""

from bench import instructions_bench


class Symbols:
    """Functions of 0x10 bytes, and their files."""

    FILES = [
        "kernel/core/march/sweep/engine.c",
        "kernel/hw/cpus/cpu_pool.c",
        "kernel/hw/mce/mca_queue.c",
    ]

    def function(self, vaddr):
        return f"f{vaddr >> 4}", vaddr & ~0xF

    def files(self, vaddrs):
        return [self.FILES[vaddr >> 4] for vaddr in vaddrs]


def test_instructions_by_folder():
    counts = instructions_bench.parse_counts("0 500\n8 400\n10 20\n1f 20\n0 40\n20 20\n")
    shown = [" ".join(line.split()) for line in instructions_bench.table(counts, Symbols())]
    assert shown == [
        "1000 instructions",
        "kernel/core/march/sweep 94.000 %",
        "kernel/hw/cpus 4.000 %",
        "kernel/hw/mce 2.000 %",
        "the functions with most:",
        "f0, kernel/core/march/sweep/engine.c 94.000 %",
        "f1, kernel/hw/cpus/cpu_pool.c 4.000 %",
        "f2, kernel/hw/mce/mca_queue.c 2.000 %",
        "in barriers and queues 6.000 % wanted: under 5 %",
    ]
