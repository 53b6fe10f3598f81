// SPDX-License-Identifier: MIT
/*
 * A QEMU TCG plugin that hangs one CPU: from when the file `when` exists, the next jump that the
 * CPU comes to in okram's image sleeps. A CPU takes an INIT between two instructions, QEMU between
 * two blocks: after a jump that is the same, so that the CPU does nothing more when it comes back.
 *
 *     -plugin build/plugin/hung_cpu.so,cpu=1,seconds=5,when=PATH
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/system/plugin/one_cpu.h"

#define LOOK_EVERY_NS 5000000L

#define PAGE      4096
#define JMP_NEAR  0xe9
#define JMP_SHORT 0xeb
#define JCC_SHORT 0x70 /* to 0x7f */
#define JCC_NEAR  0x80 /* to 0x8f, after 0x0f */

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_cb cb,
                                            int flags, void *userdata);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
#if PLUGIN_API_VERSION < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
#endif

static unsigned int hung_cpu, seconds;
static const char *when;
static atomic_bool due;

static void executed(unsigned int vcpu, void *userdata)
{
    if (vcpu == hung_cpu && atomic_load_explicit(&due, memory_order_relaxed) &&
        atomic_exchange(&due, false))
        sleep(seconds);
}

/*
 * One that reads and writes nothing, and stays on its page: for code on another page QEMU may walk
 * the page tables before it looks for an INIT, and by then they may be gone.
 */
static bool is_jump(const struct qemu_plugin_insn *insn)
{
    uint64_t at = qemu_plugin_insn_vaddr(insn), size = qemu_plugin_insn_size(insn),
             next = at + size;
    uint8_t code[16] = { 0 };
    int32_t offset;

    if (size < 2 || size > sizeof(code))
        return false;
#if PLUGIN_API_VERSION < 3
    memcpy(code, qemu_plugin_insn_data(insn), size);
#else
    qemu_plugin_insn_data(insn, code, size);
#endif
    if (code[0] == JMP_SHORT || (code[0] & 0xf0) == JCC_SHORT)
        offset = (int8_t)code[1];
    else if (code[0] == JMP_NEAR || (code[0] == 0x0f && (code[1] & 0xf0) == JCC_NEAR))
        memcpy(&offset, code + size - sizeof(offset), sizeof(offset));
    else
        return false;
    return next / PAGE == at / PAGE && (next + (uint64_t)(int64_t)offset) / PAGE == at / PAGE;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);

    if (qemu_plugin_tb_vaddr(tb) >= IMAGE_BASE && is_jump(last))
        qemu_plugin_register_vcpu_insn_exec_cb(last, executed, QEMU_PLUGIN_CB_NO_REGS, NULL);
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

    hung_cpu = plugin_number(argc, argv, "cpu");
    seconds = plugin_number(argc, argv, "seconds");
    when = plugin_text(argc, argv, "when");
    if (when)
        when = strdup(when);
    if (!when || pthread_create(&thread, NULL, look, NULL) != 0)
        return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
