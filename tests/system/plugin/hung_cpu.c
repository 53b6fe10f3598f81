/*
 * A QEMU TCG plugin that hangs one CPU: from when the file `when` exists, the next block of code
 * that the CPU runs in okram's image sleeps.
 *
 *     -plugin build/plugin/hung_cpu.so,cpu=1,seconds=5,when=PATH
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/plugin/qemu_api.h"

#define IMAGE_BASE    UINT64_C(0xffffffff80000000) /* BOOT_KERNEL_VIRT */
#define LOOK_EVERY_NS 5000000L

typedef void (*qemu_plugin_exec_cb)(unsigned int vcpu, void *userdata);

uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_cb cb,
                                          int flags, void *userdata);

int qemu_plugin_version = PLUGIN_API_VERSION;

static unsigned int hung_cpu, seconds;
static char *when;
static atomic_bool due;

static void executed(unsigned int vcpu, void *userdata)
{
    if (vcpu == hung_cpu && atomic_load_explicit(&due, memory_order_relaxed) &&
        atomic_exchange(&due, false))
        sleep(seconds);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    if (qemu_plugin_tb_vaddr(tb) >= IMAGE_BASE)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void *look(void *unused)
{
    const struct timespec pause = { .tv_nsec = LOOK_EVERY_NS };

    while (access(when, F_OK) != 0)
        nanosleep(&pause, NULL);
    atomic_store(&due, true);
    return NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    pthread_t thread;

    for (int i = 0; i < argc; i++) {
        const char *value = strchr(argv[i], '=');

        if (value && strncmp(argv[i], "cpu=", 4) == 0)
            hung_cpu = (unsigned int)atoi(value + 1);
        if (value && strncmp(argv[i], "seconds=", 8) == 0)
            seconds = (unsigned int)atoi(value + 1);
        if (value && strncmp(argv[i], "when=", 5) == 0)
            when = strdup(value + 1);
    }
    if (!when || pthread_create(&thread, NULL, look, NULL) != 0)
        return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
