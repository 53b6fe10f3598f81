// SPDX-License-Identifier: MIT
/*
 * Memory controllers, decoded from their registers: which modules a channel has, how they run, and
 * the map from addresses to them (decoder/dram_map.h).
 *
 * A decoder asks for each register that it needs. On a machine the answer comes from the hardware,
 * and is kept for the report; in a test it comes from a list, as those of a report are. What public
 * sources do not say, or say in two ways, is not decoded: `unknown` is the reason.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpudata/cpu_kind.h"
#include "decoder/dram_map.h"

enum register_space {
    REGISTER_PCI,    /* configuration space; unit: bus << 8 | device << 3 | function */
    REGISTER_MCHBAR, /* Intel's window of the host bridge; unit: 0 */
    REGISTER_SMN,    /* AMD's system management network; unit: the node */
    REGISTER_DF, /* AMD's data fabric, broadcast; unit: the node; offset: function << 12 | register
                  */
};

/* Of 32 bits; one of 64 bits is two. */
struct register_id {
    uint8_t space; /* enum register_space */
    uint16_t unit;
    uint32_t offset;
};

/*
 * False: there is no such register, or it must not be read. All ones are an answer: the decoder
 * knows what they mean.
 */
struct register_source {
    bool (*read)(void *ctx, struct register_id id, uint32_t *ret_value);
    void *ctx;
};

struct decoded_dimm {
    uint64_t bytes;              /* 0: there is none */
    uint8_t ranks, device_width; /* 0: not known */
};

/* In clocks of the memory, and megatransfers a second; 0: not known. */
struct decoded_timing {
    uint16_t cl, rcd, rp, ras;
    uint8_t command_rate, gear;
    uint32_t mts;
};

enum decoded_ecc { DECODED_ECC_UNKNOWN, DECODED_ECC_OFF, DECODED_ECC_ON };

struct decoded_channel {
    uint8_t node;       /* socket */
    uint8_t controller; /* the number of the memory controller in it, as its maker counts */
    uint8_t number;     /* of the channel in the controller */
    uint8_t ecc;        /* enum decoded_ecc */
    struct decoded_dimm dimm[DRAM_DIMMS_MAX];
    struct decoded_timing timing; /* only where there is a module */
};

struct decoded_controller {
    const char *family;  /* "AMD Zen 4"; NULL: these controllers are not known */
    unsigned n_channels; /* as map.n_channels where there is a map */
    struct decoded_channel channel[DRAM_CHANNELS_MAX];
    const char *unknown; /* why there is no map; NULL: there is */
    struct dram_map map;
};

/*
 * Decodes the controllers of a CPU. Not for virtual machines: their registers are not the
 * machine's.
 */
void controller_decode(const struct cpu_model *cpu, const struct register_source *source,
                       struct decoded_controller *ret);

/* The families, for controller_decode(): false: the CPU is of another. */
bool decode_amd_zen(const struct cpu_model *cpu, const struct register_source *source,
                    struct decoded_controller *ret);
bool decode_intel_client(const struct cpu_model *cpu, const struct register_source *source,
                         struct decoded_controller *ret);
bool decode_intel_skylake_sp(const struct cpu_model *cpu, const struct register_source *source,
                             struct decoded_controller *ret);
