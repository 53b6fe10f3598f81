// SPDX-License-Identifier: MIT
/*
 * A QEMU TCG plugin that makes one CPU late: when it runs its first code at okram's trampoline, in
 * the upper half of low memory where firmware's own never is, it sleeps.
 *
 *     -plugin build/plugin/late_cpu.so,cpu=1,seconds=5
 */
#include <unistd.h>

#include "tests/system/plugin/one_cpu.h"

#define LOW_HALF UINT64_C(0x80000)
#define LOW_END  UINT64_C(0xa0000)

static unsigned int late_cpu, seconds;
static bool slept;

static void executed(unsigned int vcpu, void *userdata)
{
    if (vcpu == late_cpu && !slept) {
        slept = true;
        sleep(seconds);
    }
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    uint64_t at = qemu_plugin_tb_vaddr(tb);

    if (at >= LOW_HALF && at < LOW_END)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    late_cpu = plugin_number(argc, argv, "cpu");
    seconds = plugin_number(argc, argv, "seconds");
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
