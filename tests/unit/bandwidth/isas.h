// SPDX-License-Identifier: MIT
/* The instruction sets of streaming loops that this host has. For main() of a test. */
#pragma once

#include "bandwidth/stream.h"
#include "tests/unit/unit.h"

static const struct stream_ops *isas[3];
static size_t n_isas;

static inline void find_isas(void)
{
    isas[n_isas++] = &stream_sse2;
    if (__builtin_cpu_supports("avx2"))
        isas[n_isas++] = &stream_avx2;
    else
        print_message("this host has no AVX2: its loops are not tested here\n");
    if (__builtin_cpu_supports("avx512f"))
        isas[n_isas++] = &stream_avx512;
    else
        print_message("this host has no AVX-512: its loops are not tested here\n");
}
