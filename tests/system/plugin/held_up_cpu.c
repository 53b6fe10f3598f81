// SPDX-License-Identifier: MIT
/*
 * A QEMU TCG plugin that holds one CPU up again and again while it runs okram's kernel, as a host
 * does that has many other CPUs to run: for 1 to 5 ms it works, then it is away for so long on
 * average, all in the first seconds.
 *
 *     -plugin build/plugin/held_up_cpu.so,cpu=0,away_ms=90,seconds=3
 */
#include <unistd.h>

#include "tests/system/plugin/one_cpu.h"

#define MS UINT64_C(1000000)

static unsigned int held_up_cpu, away_ms, seconds;
static uint64_t begin, works_until; /* ns */

/* From half of it to one and a half. */
static uint64_t about(uint64_t ns)
{
    return ns / 2 + (uint64_t)rand() % ns;
}

static void executed(unsigned int vcpu, void *userdata)
{
    uint64_t at;

    if (vcpu != held_up_cpu)
        return;
    at = now_ns();
    if (!begin) {
        begin = at;
        works_until = at + about(3 * MS);
    }
    if (at < works_until || at - begin > seconds * SECOND_NS)
        return;
    usleep((useconds_t)(about(away_ms * MS) / 1000));
    works_until = now_ns() + about(3 * MS);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    if (qemu_plugin_tb_vaddr(tb) >= IMAGE_BASE)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    held_up_cpu = plugin_number(argc, argv, "cpu");
    away_ms = plugin_number(argc, argv, "away_ms");
    seconds = plugin_number(argc, argv, "seconds");
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
