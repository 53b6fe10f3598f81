// SPDX-License-Identifier: MIT
/*
 * Faulty RAM for a guest of QEMU: a TCG plugin that maps the same files as the guest's memory and
 * changes what the guest has stored in it, by the configuration.
 *
 *     qemu-system-x86_64 -plugin build/plugin/faultram.so,config=FILE …
 *
 * Stores by devices (DMA) and by QEMU's page walks are not seen: a fault takes effect after the
 * next store of a CPU.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "faults.h"
#include "qemu_api.h"
#include "ram.h"

#define FADE_CHECK_NS 1000000L

int qemu_plugin_version = PLUGIN_API_VERSION;

static struct ram guest_ram;
static struct faults guest_faults;
/* One store at a time takes the slow path: several vCPUs stay deterministic. */
static pthread_mutex_t slow_path = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A part of a store that lies in one page of the guest's virtual memory. */
static void after_store_in_page(qemu_plugin_meminfo_t info, uint64_t vaddr, uint64_t size)
{
    struct qemu_plugin_hwaddr *hwaddr;
    uint64_t offset;

    if (!faults_near(&guest_faults, vaddr, size) || ram_is_device(&guest_ram, vaddr))
        return;
    hwaddr = qemu_plugin_get_hwaddr(info, vaddr);
    if (hwaddr == NULL || qemu_plugin_hwaddr_is_io(hwaddr))
        return;
    if (!ram_find(&guest_ram, qemu_plugin_hwaddr_phys_addr(hwaddr), &offset))
        return;
    if (guest_faults.first[offset / RAM_PAGE_SIZE] == 0)
        return;
    pthread_mutex_lock(&slow_path);
    faults_after_store(&guest_faults, offset, size, guest_faults.fades ? now_ns() : 0);
    pthread_mutex_unlock(&slow_path);
}

static void after_store(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                        void *userdata)
{
    uint64_t size = UINT64_C(1) << qemu_plugin_mem_size_shift(info);
    uint64_t in_page = RAM_PAGE_SIZE - vaddr % RAM_PAGE_SIZE;

    if (size <= in_page) {
        after_store_in_page(info, vaddr, size);
    } else {
        after_store_in_page(info, vaddr, in_page);
        after_store_in_page(info, vaddr + in_page, size - in_page);
    }
}

static void progress_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), after_store,
                                         QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, NULL);
}

/* Cells fade without any store. */
static void *pass_time(void *unused)
{
    const struct timespec pause = { .tv_nsec = FADE_CHECK_NS };

    for (;;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&slow_path);
        faults_after_time(&guest_faults, now_ns());
        pthread_mutex_unlock(&slow_path);
    }
    return NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    static const char key[] = "config=";
    pthread_t thread;

    if (argc != 1 || strncmp(argv[0], key, strlen(key)) != 0) {
        fprintf(stderr, "okram plugin: the only argument is config=FILE\n");
        return 1;
    }
    if (!config_read(argv[0] + strlen(key), &guest_ram, &guest_faults))
        return 1;
    if (!faults_begin(&guest_faults, now_ns())) {
        fprintf(stderr, "okram plugin: no memory for the table of faults\n");
        return 1;
    }
    if (guest_faults.fades && pthread_create(&thread, NULL, pass_time, NULL) != 0) {
        fprintf(stderr, "okram plugin: no thread for retention faults\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, progress_block);
    return 0;
}
