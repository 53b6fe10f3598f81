// SPDX-License-Identifier: MIT
/* QEMU TCG plugins that do something to one CPU: what they share. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/plugin/qemu_api.h"

#define IMAGE_BASE UINT64_C(0xffffffff80000000) /* BOOT_KERNEL_VIRT */
#define SECOND_NS  UINT64_C(1000000000)

typedef void (*qemu_plugin_exec_cb)(unsigned int vcpu, void *userdata);

uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_exec_cb cb,
                                          int flags, void *userdata);

int qemu_plugin_version = PLUGIN_API_VERSION;

/* What an argument name=VALUE says; NULL: it is not given. */
static inline const char *plugin_text(int argc, char **argv, const char *name)
{
    size_t length = strlen(name);

    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
            return argv[i] + length + 1;
    }
    return NULL;
}

static inline unsigned int plugin_number(int argc, char **argv, const char *name)
{
    const char *text = plugin_text(argc, argv, name);

    return text ? (unsigned int)atoi(text) : 0;
}

static inline uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}
