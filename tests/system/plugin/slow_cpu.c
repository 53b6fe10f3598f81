// SPDX-License-Identifier: MIT
/*
 * A QEMU TCG plugin that slows one CPU down, always, while it runs okram's kernel: each block of
 * code takes so much longer.
 *
 *     -plugin build/plugin/slow_cpu.so,cpu=1,ns=500
 */
#include "tests/system/plugin/one_cpu.h"

static unsigned int slow_cpu, ns;

static void executed(unsigned int vcpu, void *userdata)
{
    uint64_t end;

    if (vcpu != slow_cpu)
        return;
    for (end = now_ns() + ns; now_ns() < end;)
        ;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    if (qemu_plugin_tb_vaddr(tb) >= IMAGE_BASE)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    slow_cpu = plugin_number(argc, argv, "cpu");
    ns = plugin_number(argc, argv, "ns");
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
