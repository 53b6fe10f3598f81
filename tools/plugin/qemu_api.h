// SPDX-License-Identifier: MIT
/*
 * The part of QEMU's TCG plugin API that okram's fault injection uses.
 *
 * Debian's QEMU ships no header, so it is declared here, after the API's documentation
 * (qemu.org, docs/devel/tcg-plugins). The functions used are the same in versions 1 to 5; a QEMU
 * loads only plugins of a version it knows, so the build asks the installed QEMU (ask_version) and
 * writes PLUGIN_API_VERSION into a header.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api_version.h"

#define PLUGIN_EXPORT __attribute__((visibility("default")))

/* QEMU's handles; valid only during the callback that gets them. */
struct qemu_plugin_tb;     /* a translated block of guest code */
struct qemu_plugin_insn;   /* one guest instruction in it */
struct qemu_plugin_hwaddr; /* where an access went */
struct qemu_info;          /* QEMU's description of itself */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

/* enum qemu_plugin_cb_flags: the callback reads and writes no guest register. */
#define QEMU_PLUGIN_CB_NO_REGS 0
/*
 * enum qemu_plugin_mem_rw: called for stores, or for loads and stores; read-modify-writes are both.
 * QEMU 7.2 confuses them: of loads it tells those who want stores, so the callback has to ask.
 */
#define QEMU_PLUGIN_MEM_W  2
#define QEMU_PLUGIN_MEM_RW 3

typedef void (*qemu_plugin_tb_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_mem_cb)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                   void *userdata);

/* What QEMU looks for in a plugin. qemu_plugin_install returns 0 on success. */
PLUGIN_EXPORT extern int qemu_plugin_version;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
                                      char **argv);

/* cb is called when a block is translated, before it runs for the first time. */
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_cb cb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);

/* The first bytes of an instruction. */
#if PLUGIN_API_VERSION < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
#endif
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

/* cb is called after every access of insn, on the thread of the vCPU that made it. */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_cb cb,
                                      int flags, int rw, void *userdata);

/* Whether it was a store. */
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

/* log2 of the access's size in bytes. */
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);

/*
 * Where vaddr leads for this access, or NULL. After a store to a device QEMU from 9 on may abort
 * here: it looks for the device in its map of memory, which that very store may have changed.
 */
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hwaddr);

/*
 * Before QEMU 8.2: offset of the RAM block + offset in it + the region's address inside its
 * container. From 8.2 on: the guest-physical address. tools/okramlib/layout.py knows both.
 */
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *hwaddr);
