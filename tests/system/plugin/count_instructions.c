// SPDX-License-Identifier: MIT
/*
 * A QEMU TCG plugin that counts the instructions that okram's kernel executes, on all CPUs
 * together: at QEMU's end it writes a line for each block of code, its virtual address in
 * hexadecimal and how many instructions were executed there.
 *
 *     -plugin build/plugin/count_instructions.so,out=PATH
 *
 * Exact but for blocks that an exception or an interrupt leaves half-way: those count as a whole.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/plugin/qemu_api.h"

#define KERNEL_VIRT UINT64_C(0xffffffff80000000) /* BOOT_KERNEL_VIRT */

typedef void (*qemu_plugin_exec_cb)(unsigned int vcpu, void *userdata);
typedef void (*qemu_plugin_end_cb)(qemu_plugin_id_t id, void *userdata);

uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_cb cb,
                                          int flags, void *userdata);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_end_cb cb, void *userdata);

int qemu_plugin_version = PLUGIN_API_VERSION;

/* Each time that a block is translated it is another one here. */
struct block {
    struct block *next;
    uint64_t vaddr, n_instructions;
    _Atomic uint64_t executed;
};

static struct block *blocks;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;
static char *out_path;

static void executed(unsigned int vcpu, void *userdata)
{
    struct block *block = userdata;

    atomic_fetch_add_explicit(&block->executed, 1, memory_order_relaxed);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    struct block *block;

    if (qemu_plugin_tb_vaddr(tb) < KERNEL_VIRT)
        return;
    block = calloc(1, sizeof(*block));
    if (!block)
        abort();
    block->vaddr = qemu_plugin_tb_vaddr(tb);
    block->n_instructions = qemu_plugin_tb_n_insns(tb);
    pthread_mutex_lock(&blocks_lock);
    block->next = blocks;
    blocks = block;
    pthread_mutex_unlock(&blocks_lock);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, block);
}

static void ended(qemu_plugin_id_t id, void *userdata)
{
    FILE *out = fopen(out_path, "w");

    if (!out) {
        perror(out_path);
        return;
    }
    for (const struct block *block = blocks; block; block = block->next)
        fprintf(out, "%" PRIx64 " %" PRIu64 "\n", block->vaddr,
                block->n_instructions * block->executed);
    fclose(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "out=", 4) == 0)
            out_path = strdup(argv[i] + 4);
    }
    if (!out_path) {
        fprintf(stderr, "count_instructions: out=PATH is missing\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
