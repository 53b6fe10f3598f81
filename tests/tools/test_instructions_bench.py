# SPDX-License-Identifier: MIT
"""Instructions by folder, from a plugin's counts."""

from bench import instructions_bench


class Symbols:
    """Functions of 0x10 bytes, and their files."""

    FILES = [
        "kernel/core/march/sweep/engine.c",
        "kernel/hw/cpus/cpu_pool.c",
        "kernel/hw/mce/mca_queue.c",
        "kernel/show/screen/screen_paint.c",
        "kernel/show/screen/screen_picture.c",
    ]

    def function(self, vaddr):
        return f"f{vaddr >> 4}", vaddr & ~0xF

    def files(self, vaddrs):
        return [self.FILES[vaddr >> 4] for vaddr in vaddrs]


def test_instructions_by_folder():
    counts = instructions_bench.parse_counts(
        "0 500\n8 400\n10 20\n1f 20\n0 30\n20 20\n30 7\n40 3\n"
    )
    shown = [" ".join(line.split()) for line in instructions_bench.table(counts, 0.1e-3, Symbols())]
    assert shown == [
        "1000 instructions in 0.0 s",
        "kernel/core/march/sweep 93.000 %",
        "kernel/hw/cpus 4.000 %",
        "kernel/hw/mce 2.000 %",
        "kernel/show/screen 1.000 %",
        "the functions with most:",
        "f0, kernel/core/march/sweep/engine.c 93.000 %",
        "f1, kernel/hw/cpus/cpu_pool.c 4.000 %",
        "f2, kernel/hw/mce/mca_queue.c 2.000 %",
        "f3, kernel/show/screen/screen_paint.c 0.700 %",
        "f4, kernel/show/screen/screen_picture.c 0.300 %",
        "for the screen 1.000 % 0.10 million a second",
        "of it the picture of all RAM 0.300 % 0.03 million a second",
        "in barriers and queues 6.000 % wanted: under 5 %",
    ]
