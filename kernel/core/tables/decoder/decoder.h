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
#include "lib/fmt.h"

enum register_space {
    REGISTER_PCI,    /* configuration space; unit: bus << 8 | device << 3 | function */
    REGISTER_MCHBAR, /* Intel's window of the host bridge; unit: 0 */
    REGISTER_SMN,    /* AMD's system management network; unit: the node */
    /* AMD's data fabric; unit: node << 8 | instance, 0xff for any; offset: function << 12 |
       register */
    REGISTER_DF,
    REGISTER_TIMING, /* in tests: what timing would show (run/testing/row_finding.c); unit: a zone
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
    uint32_t banks, rows;        /* by the map, of a rank; 0: not known */
};

/* In clocks of the memory, all four or none, and megatransfers a second; 0: not known. */
struct decoded_timing {
    uint16_t cl, rcd, rp, ras;
    uint8_t command_rate, gear;
    uint32_t mts;
};

enum decoded_ecc {
    DECODED_ECC_UNKNOWN,
    DECODED_ECC_OFF,
    DECODED_ECC_UNUSED,  /* off, although the modules have it */
    DECODED_ECC_IN_BAND, /* check bits in a part of ordinary memory; maybe not of all of it */
    DECODED_ECC_ON,
};

struct decoded_channel {
    uint8_t node;       /* socket */
    uint8_t controller; /* the number of the memory controller in it, as its maker counts */
    uint8_t number;     /* of the channel in the controller */
    uint8_t ecc;        /* enum decoded_ecc */
    struct decoded_dimm dimm[DRAM_DIMMS_MAX];
    struct decoded_timing timing; /* only where there is a module */
    /*
     * Where lines that are read of it are counted, in 64 bits; offset 0: nowhere, or that is not
     * public. Channels may share a counter. One in Intel's window always counts; one in
     * configuration space is to be programmed (controller/traffic.h).
     */
    struct register_id reads_counted;
};

/* 0: it has no module. */
static inline uint64_t decoded_bytes(const struct decoded_channel *c)
{
    return c->dimm[0].bytes + c->dimm[1].bytes;
}

struct decoded_controller {
    const char *family;  /* "AMD Zen 4"; NULL: these controllers are not known */
    unsigned n_channels; /* as map.n_channels where there is a map */
    struct decoded_channel channel[DRAM_CHANNELS_MAX];
    /* Why there is no map; NULL: there is one. If a map has zones all the same, only the function
     * of its first zone is missing, and the bit that it removes if that is 0. */
    const char *unknown;
    struct dram_map map;
};

/*
 * Decodes the controllers of a CPU. Not for virtual machines: their registers are not the
 * machine's.
 */
void controller_decode(const struct cpu_model *cpu, const struct register_source *source,
                       struct decoded_controller *ret);

/* "5200 MT/s 40-39-39-77 1T, gear 2", or what of that is not known. */
void decoded_append_timing(struct fmt_buffer *b, const struct decoded_timing *timing);

/*
 * "channel 1 (channel 0 of controller 1): module 0: 16 GiB, 1 rank of x8 chips; module 1: none;
 * 5200 MT/s 40-39-39-77 1T; ECC off". channel: its index.
 */
void decoded_append_channel(struct fmt_buffer *b, const struct decoded_controller *controller,
                            unsigned channel);

/*
 * How many memory controllers a node of AMD's or Hygon's has, since family 17h; one that is not
 * there must not be read. 0: that is not known.
 */
unsigned amd_umcs(const struct cpu_model *cpu);

/* Nodes are numbered from 0. */
bool amd_has_node(const struct register_source *source, unsigned node);

/* What such a controller says of ECC. False: it cannot be read. */
struct amd_umc_ecc {
    bool is_in_use; /* it has modules; the others are false if not */
    bool is_on, modules_have_it;
};

bool amd_umc_read_ecc(const struct register_source *source, unsigned node, unsigned umc,
                      struct amd_umc_ecc *ret);

/* The families, for controller_decode(): false: the CPU is of another. */
bool decode_amd_zen(const struct cpu_model *cpu, const struct register_source *source,
                    struct decoded_controller *ret);
bool decode_intel_client(const struct cpu_model *cpu, const struct register_source *source,
                         struct decoded_controller *ret);
bool decode_intel_skylake_sp(const struct cpu_model *cpu, const struct register_source *source,
                             struct decoded_controller *ret);

/*
 * The address of Intel's window (REGISTER_MCHBAR), by the host bridge. 0: it is off, or the CPU is
 * of another family.
 */
uint64_t decode_intel_mchbar(const struct register_source *source);
