// SPDX-License-Identifier: MIT
/* A machine-check bank as it was read, and what must be known of its CPU to decode it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* AMD, but for scalable banks. */
#define MCA_NORTH_BRIDGE_BANK 4

/* How this CPU's banks are to be read. */
struct mca_cpu {
    uint32_t number;
    uint32_t physical_bits;
    uint32_t n_banks;
    uint32_t family, model;
    bool amd;
    bool hypervisor;
    bool scalable;         /* AMD's banks at 0xc0002000 */
    bool counts_corrected; /* MCG_CAP.CMCI_P: the status holds a count */
    bool recovers;         /* MCG_CAP.SER_P: the status says what software is to do */
    bool has_control;      /* MCG_CAP.MCG_CTL_P */
};

/* As read; config and id are 0 but for AMD's scalable banks. */
struct mca_bank {
    uint32_t number;
    uint64_t status, addr, misc, config, id;
};

/* Which part of the memory a bank names, as it names it. */
struct mca_channel {
    enum {
        MCA_CHANNEL_NONE,
        MCA_CHANNEL_UMC,  /* AMD: a unified memory controller, by its instance */
        MCA_CHANNEL_CODE, /* Intel: a channel of the bank's memory controller */
    } kind;
    uint32_t number;
};
