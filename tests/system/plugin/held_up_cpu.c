// SPDX-License-Identifier: MIT
/*
 * A QEMU TCG plugin that holds one CPU up again and again while it runs okram's kernel, as a host
 * does that has many other CPUs to run: for 1 to 5 ms it works, then it is away for so long on
 * average, all in the first seconds.
 *
 *     -plugin build/plugin/held_up_cpu.so,cpu=0,away_ms=90,seconds=3
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/plugin/qemu_api.h"

#define KERNEL_VIRT UINT64_C(0xffffffff80000000)
#define MS          UINT64_C(1000000)

typedef void (*qemu_plugin_exec_cb)(unsigned int vcpu, void *userdata);

uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_cb cb,
                                          int flags, void *userdata);

int qemu_plugin_version = PLUGIN_API_VERSION;

static unsigned int held_up_cpu, away_ms = 90, seconds = 3;
static uint64_t begin, works_until; /* ns */

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

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
    at = now();
    if (!begin) {
        begin = at;
        works_until = at + about(3 * MS);
    }
    if (at < works_until || at - begin > seconds * 1000 * MS)
        return;
    usleep((useconds_t)(about(away_ms * MS) / 1000));
    works_until = now() + about(3 * MS);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    if (qemu_plugin_tb_vaddr(tb) >= KERNEL_VIRT)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *value = strchr(argv[i], '=');

        if (value && strncmp(argv[i], "cpu=", 4) == 0)
            held_up_cpu = (unsigned int)atoi(value + 1);
        if (value && strncmp(argv[i], "away_ms=", 8) == 0)
            away_ms = (unsigned int)atoi(value + 1);
        if (value && strncmp(argv[i], "seconds=", 8) == 0)
            seconds = (unsigned int)atoi(value + 1);
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
