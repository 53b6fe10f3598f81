// SPDX-License-Identifier: MIT
/*
 * A QEMU TCG plugin that slows one CPU down, always, while it runs okram's kernel: each block of
 * code takes so much longer.
 *
 *     -plugin build/plugin/slow_cpu.so,cpu=1,ns=500
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/plugin/qemu_api.h"

#define KERNEL_VIRT UINT64_C(0xffffffff80000000)

typedef void (*qemu_plugin_exec_cb)(unsigned int vcpu, void *userdata);

uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_cb cb,
                                          int flags, void *userdata);

int qemu_plugin_version = PLUGIN_API_VERSION;

static unsigned int slow_cpu;
static uint64_t ns;

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void executed(unsigned int vcpu, void *userdata)
{
    uint64_t end;

    if (vcpu != slow_cpu)
        return;
    for (end = now() + ns; now() < end;)
        ;
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
            slow_cpu = (unsigned int)atoi(value + 1);
        if (value && strncmp(argv[i], "ns=", 3) == 0)
            ns = (uint64_t)atoll(value + 1);
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
