// SPDX-License-Identifier: MIT
/* A CPUID that reports what a table says. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EVERY_SUBLEAF   0xffffffff
#define TOLD_LEAVES_MAX 10

struct leaf {
    uint32_t leaf, subleaf;
    uint32_t regs[4];
};

/* A cpuid_fn; ctx: TOLD_LEAVES_MAX of struct leaf. Others answer with zeros. */
static inline void fake_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct leaf *fake = ctx;

    memset(regs, 0, 4 * sizeof(regs[0]));
    for (size_t i = 0; i < TOLD_LEAVES_MAX; i++) {
        if (fake[i].leaf == leaf &&
            (fake[i].subleaf == subleaf || fake[i].subleaf == EVERY_SUBLEAF)) {
            memcpy(regs, fake[i].regs, sizeof(fake[i].regs));
            return;
        }
    }
}
