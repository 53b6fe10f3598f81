// SPDX-License-Identifier: MIT
/*
 * Intel's client processors: by datasheets (volume 2: MCHBAR, REMAPBASE, MAD_...), by facts in
 * Linux's ie31200_edac, igen6_edac and uncore_snb, coreboot's sandybridge and haswell, memtest86+
 * and CoreFreq, and by maps that were measured and published (DRAMA, DRAMDig, TRRespass,
 * Blacksmith, ddr.org).
 */
#include <stddef.h>

#include "decoder/decoder.h"
#include "lib/minmax.h"

#define ABSENT   UINT32_MAX
#define BIT(n)   (UINT64_C(1) << (n))
#define GIB4     BIT(32)
#define CHANNELS 2u /* of a controller */

/* In the configuration space of the host bridge, 00:00.0. REMAP_... are 0 there since Ice Lake, and
 * are that far after a controller's first register (facts in CHIPSEC). */
#define MCHBAR      0x48
#define REMAP_BASE  0x90
#define REMAP_LIMIT 0x98
#define TOM         0xa0
#define TOLUD       0xbc
#define CAPID0      0xe4
#define NO_ECC      BIT(25)

/* Bits of a register: n from bit `low` on. 0: there are none, or it is not known where they are. */
#define AT(at, low, n) ((uint32_t)(at) << 16 | (low) << 8 | (n))

/* Registers after a controller's first; a second channel's are 4 bytes after the first's. */
static const struct layout {
    uint32_t memory, larger_channel, smaller_channel; /* type; its number; its size */
    uint32_t hash_on, hash_mask, hash_low;
    uint32_t larger_module, ecc;
    uint32_t interleave, enhanced, high_order; /* of ranks and modules */
} mad_chnl = { AT(0, 10, 1),    AT(0, 0, 2),     AT(0x14, 24, 8), AT(0x24, 23, 1),
               AT(0x24, 0, 14), AT(0x24, 21, 2), AT(4, 16, 1),    AT(4, 24, 2),
               AT(4, 21, 1),    AT(4, 22, 1),    AT(4, 26, 1) },
  mad_inter = { AT(0, 0, 3),     AT(0, 4, 1),     AT(0, 12, 8), AT(0x24, 28, 1),
                AT(0x24, 6, 14), AT(0x24, 24, 3), AT(4, 0, 1),  AT(4, 12, 2),
                AT(4, 4, 1),     AT(4, 8, 1),     AT(4, 24, 1) };
#define MODULE_HASH   4    /* after the channels' hash */
#define READS_COUNTED 0x58 /* after a controller's first register; where there are two */

/* MAD_DIMM: of a channel's larger module, then of the smaller; sizes in units of 2^unit_bits. */
static const struct modules {
    const struct layout *layout;
    uint8_t unit_bits;
    uint32_t size[2], width[2], ranks[2];
} by_256_mib = { &mad_chnl,
                 28,
                 { AT(4, 0, 8), AT(4, 8, 8) },
                 { AT(4, 19, 1), AT(4, 20, 1) },
                 { AT(4, 17, 1), AT(4, 18, 1) } },
  by_gib = { &mad_inter,
             30,
             { AT(12, 0, 6), AT(12, 16, 6) },
             { AT(12, 8, 2), AT(12, 24, 2) },
             { AT(12, 10, 1), AT(12, 26, 1) } },
  by_512_mib = { &mad_inter,
                 29,
                 { AT(12, 0, 7), AT(12, 16, 7) },
                 { AT(12, 7, 2), AT(12, 24, 2) },
                 { AT(12, 9, 2), AT(12, 26, 2) } },
  narrow = { &mad_inter,
             29,
             { AT(12, 0, 7), AT(12, 16, 7) },
             { AT(12, 7, 1), AT(12, 24, 1) },
             { AT(12, 9, 1), AT(12, 26, 1) } };

enum clock { CLOCK_SNB, CLOCK_SKL, CLOCK_ICL, CLOCK_ADL, CLOCK_MTL };

/* Registers of the first channel in the window; in clocks. */
static const struct timings {
    uint32_t cl, rcd, rp, ras, command_rate;
    uint8_t clock;
} t_snb = { AT(0x4000, 8, 4),  AT(0x4000, 0, 4),  AT(0x4000, 4, 4),
            AT(0x4000, 16, 8), AT(0x4004, 30, 2), CLOCK_SNB },
  t_hsw = { AT(0x4014, 0, 5),  AT(0x4000, 0, 5),  AT(0x4000, 5, 5),
            AT(0x4000, 10, 6), AT(0x4004, 30, 2), CLOCK_SNB },
  t_skl = { AT(0x4070, 16, 5), AT(0x4000, 0, 6), AT(0x4000, 0, 6),
            AT(0x4000, 8, 7),  AT(0x401c, 2, 2), CLOCK_SKL },
  t_rkl = { AT(0x4070, 16, 5), AT(0x4000, 0, 6), AT(0x4000, 0, 6),
            AT(0x4000, 9, 7),  AT(0x4088, 3, 2), CLOCK_ICL },
  t_tgl = { AT(0x4070, 16, 6), AT(0x4004, 9, 7), AT(0x4000, 0, 7),
            AT(0x4004, 1, 8),  AT(0x4088, 3, 2), CLOCK_ICL },
  t_adl = { AT(0xe070, 16, 7), AT(0xe004, 19, 8), AT(0xe000, 0, 8),
            AT(0xe004, 10, 9), AT(0xe088, 3, 2),  CLOCK_ADL },
  t_mtl = {
      AT(0xe070, 16, 7), AT(0xe138, 22, 8), AT(0xe000, 0, 8), AT(0xe004, 13, 9), 0, CLOCK_MTL
  };

/* The host bridge's bit for in-band ECC, and the register of a controller that says it is on. */
static const struct in_band {
    uint8_t capability, bit; /* capability 0: not known */
    bool is_with;            /* the bit says that it has it, not that it lacks it */
    uint8_t min_stepping;
    uint16_t activate;
} in_band_ehl = { 0xec, 15, true, 0, 0xdc00 }, in_band_icl = { 0xec, 15, false, 1, 0xd800 },
  in_band_tgl = { 0xf0, 12, false, 0, 0xd400 }, in_band_mtl = { 0xf0, 18, false, 0, 0xd400 },
  in_band_ps = { 0, 0, false, 0, 0xd400 };

/*
 * Between channels; the last three: between controllers. BY_INFERRED_HASH: neither are the hash and
 * its bit that is removed public, nor where the registers are. Linux has the counters of reads and
 * CHIPSEC the moved memory at the places of Alder Lake, which are those of Tiger Lake plus 8800h.
 */
enum interleave { BY_BIT_6, BY_HASH, BY_SLICE_HASH, BY_UNPUBLISHED_HASH, BY_INFERRED_HASH };

#define GENERATION(name, modules, timings, interleave, in_band, ...)                               \
    {                                                                                              \
        name, &modules, timings, interleave, in_band,                                              \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* By the host bridge's device number. */
static const struct generation {
    const char *name;
    const struct modules *modules;
    const struct timings *timings; /* NULL: not public */
    uint8_t interleave;
    const struct in_band *in_band; /* NULL: ECC is that of the modules */
    uint16_t device[40];
} generations[] = {
    GENERATION("Intel Sandy Bridge", by_256_mib, &t_snb, BY_BIT_6, NULL, 0x0100, 0x0104, 0x0108,
               0x010c),
    GENERATION("Intel Ivy Bridge", by_256_mib, &t_snb, BY_HASH, NULL, 0x0150, 0x0154, 0x0158,
               0x015c),
    GENERATION("Intel Haswell to Broadwell", by_256_mib, &t_hsw, BY_HASH, NULL, 0x0c00, 0x0c04,
               0x0c08, 0x0a04, 0x0d04, 0x1604),
    GENERATION("Intel Skylake to Comet Lake", by_gib, &t_skl, BY_HASH, NULL, 0x1900, 0x1904, 0x190c,
               0x190f, 0x1910, 0x1918, 0x191f, 0x5904, 0x590c, 0x590d, 0x590f, 0x5910, 0x5914,
               0x5918, 0x591f, 0x3e0f, 0x3e10, 0x3e18, 0x3e1f, 0x3e30, 0x3e31, 0x3e32, 0x3e33,
               0x3e34, 0x3e35, 0x3ec2, 0x3ec4, 0x3ec6, 0x3eca, 0x3ecc, 0x3ed0, 0x9b33, 0x9b43,
               0x9b44, 0x9b53, 0x9b54, 0x9b63, 0x9b64, 0x9b73),
    GENERATION("Intel Comet Lake-U", by_512_mib, &t_skl, BY_HASH, NULL, 0x9b51, 0x9b61, 0x9b71),
    GENERATION("Intel Rocket Lake", by_512_mib, &t_rkl, BY_HASH, NULL, 0x4c43, 0x4c53),
    GENERATION("Intel Ice Lake", by_512_mib, NULL, BY_HASH, NULL, 0x8a02, 0x8a12),
    GENERATION("Intel Ice Lake", by_512_mib, NULL, BY_HASH, &in_band_icl, 0x4581, 0x4585, 0x4589,
               0x458d),
    GENERATION("Intel Elkhart Lake", by_512_mib, NULL, BY_HASH, &in_band_ehl, 0x4514, 0x4516,
               0x4518, 0x451a, 0x4528, 0x452a, 0x452c, 0x452e, 0x4532, 0x4534, 0x4536),
    GENERATION("Intel Tiger Lake", by_512_mib, &t_tgl, BY_SLICE_HASH, &in_band_tgl, 0x9a02, 0x9a04,
               0x9a12, 0x9a14),
    GENERATION("Intel Tiger Lake-H", by_512_mib, NULL, BY_INFERRED_HASH, NULL, 0x9a26, 0x9a36),
    GENERATION("Intel Alder Lake", by_512_mib, &t_adl, BY_UNPUBLISHED_HASH, NULL, 0x4630, 0x4640,
               0x4648, 0x4650, 0x4660, 0x4668),
    GENERATION("Intel Alder Lake", by_512_mib, &t_adl, BY_UNPUBLISHED_HASH, &in_band_tgl, 0x4601,
               0x4602, 0x4614, 0x4617, 0x461b, 0x461c, 0x4621, 0x4632, 0x4641, 0x4646, 0x464a,
               0x4652, 0x4673, 0x4674, 0x4675, 0x4676, 0x4677, 0x4678, 0x4679, 0x467c),
    GENERATION("Intel Raptor Lake", by_512_mib, &t_adl, BY_UNPUBLISHED_HASH, NULL, 0xa700, 0xa702,
               0xa703, 0xa704, 0xa740, 0x4639, 0x463c, 0x4642, 0x4643, 0xa731, 0xa732, 0xa733,
               0xa741, 0xa744, 0xa745),
    GENERATION("Intel Raptor Lake", by_512_mib, &t_adl, BY_UNPUBLISHED_HASH, &in_band_tgl, 0xa706,
               0xa707, 0xa708, 0xa716, 0xa718),
    GENERATION("Intel Meteor Lake", narrow, &t_mtl, BY_UNPUBLISHED_HASH, &in_band_mtl, 0x7d01,
               0x7d02, 0x7d14),
    GENERATION("Intel Meteor Lake", narrow, &t_mtl, BY_UNPUBLISHED_HASH, &in_band_ps, 0x7d21,
               0x7d22, 0x7d23, 0x7d24),
    GENERATION("Intel Arrow Lake", narrow, &t_mtl, BY_UNPUBLISHED_HASH, &in_band_mtl, 0x7d06,
               0x7d20, 0x7d30),
    GENERATION("Intel Arrow Lake", narrow, &t_mtl, BY_UNPUBLISHED_HASH, NULL, 0x7d1a, 0x7d1b,
               0x7d1c, 0x7d2a),
};

struct reading {
    const struct register_source *source;
    const struct generation *generation;
    struct decoded_controller *ret;
    bool has_in_band_ecc;
    bool is_silent; /* a register that is needed does not answer */
};

static bool ask(const struct register_source *source, uint8_t space, uint32_t at, uint32_t *ret)
{
    return source->read(source->ctx, (struct register_id){ space, 0, at }, ret) && *ret != ABSENT;
}

static uint32_t read_register(struct reading *r, uint8_t space, uint32_t at)
{
    uint32_t value;

    if (ask(r->source, space, at, &value))
        return value;
    r->is_silent = true;
    return 0;
}

static uint32_t get(struct reading *r, uint32_t base, uint32_t field)
{
    if (!field)
        return 0;
    return read_register(r, REGISTER_MCHBAR, base + (field >> 16)) >> (field >> 8 & 0xff) &
           (UINT32_MAX >> (32 - (field & 0xff)));
}

static void not_known(struct reading *r, const char *why)
{
    if (!r->ret->unknown)
        r->ret->unknown = why;
}

static const struct generation *generation_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof(generations) / sizeof(generations[0]); i++) {
        for (const uint16_t *device = generations[i].device; *device; device++) {
            if (id == (0x8086 | (uint32_t)*device << 16))
                return &generations[i];
        }
    }
    return NULL;
}

static bool is_alder_lakes(const struct generation *g)
{
    return g->interleave >= BY_UNPUBLISHED_HASH;
}

/* Address bits of the host bridge's registers. */
static uint64_t address_bits(const struct generation *g, unsigned low)
{
    return (BIT(is_alder_lakes(g) ? 42 : 39) - 1) & ~(BIT(low) - 1);
}

static uint64_t address_in(struct reading *r, uint8_t space, uint32_t at, unsigned low)
{
    uint64_t high = (uint64_t)read_register(r, space, at + 4) << 32;

    return (high | read_register(r, space, at)) & address_bits(r->generation, low);
}

static uint64_t bridge_address(struct reading *r, uint32_t at, unsigned low)
{
    return address_in(r, REGISTER_PCI, at, low);
}

static uint32_t controller_of(const struct generation *g, unsigned channel)
{
    return (is_alder_lakes(g) ? 0xd800 : 0x5000) + channel / CHANNELS * 0x10000;
}

/* Ratios are to a clock of 100 MHz, or to 4/3 of it. */
static void decode_clock(struct reading *r, unsigned clock, struct decoded_timing *ret)
{
    static const uint8_t gears[4] = { 1, 2, 4, 0 };
    static const uint8_t references[16] = { [1] = 6, [2] = 3, [10] = 4, [11] = 2, [12] = 1 };
    uint32_t data = read_register(r, REGISTER_MCHBAR, 0x5e04);
    uint64_t ratio = data & 0xff, thirds = data & 0xf00 ? 3 : 4, khz;

    switch (clock) {
    case CLOCK_SNB: ret->mts = (uint32_t)((data & 0xf) * (data & BIT(8) ? 600 : 800) / 3); return;
    case CLOCK_SKL: ret->mts = (read_register(r, REGISTER_MCHBAR, 0x5e00) & 0xf) * 800 / 3; return;
    case CLOCK_ICL: ret->gear = data & BIT(16) ? 2 : 1; break;
    case CLOCK_ADL:
        ret->gear = gears[data >> 12 & 3];
        ratio = read_register(r, REGISTER_MCHBAR, 0x5918) >> 2 & 0xff;
        break;
    default:
        data = read_register(r, REGISTER_MCHBAR, 0x13d98);
        ret->gear = data & BIT(24) ? 4 : 2;
        ret->mts = (data >> 12 & 0xff) * references[data >> 20 & 0xf] * ret->gear * 100 / 3;
        return;
    }
    khz = read_register(r, REGISTER_MCHBAR, 0x5f60);
    if (khz >= 50000 && khz <= 250000)
        ret->mts = (uint32_t)(ratio * thirds * ret->gear * khz / 3000);
}

/* Whether a register is silent does not matter to the map. */
static struct decoded_timing decode_timing(struct reading *r, unsigned i)
{
    static const uint8_t rates[2][4] = { { 1, 0, 2, 3 }, { 1, 2, 3, 0 } };
    const struct timings *t = r->generation->timings;
    uint32_t step = is_alder_lakes(r->generation) ? 0x800 : 0x400;
    uint32_t base = (i / CHANNELS) * 0x10000 + i % CHANNELS * step;
    struct decoded_timing ret = { 0 };
    bool was_silent = r->is_silent;

    r->is_silent = false;
    if (t) {
        ret.cl = (uint16_t)get(r, base, t->cl);
        ret.rcd = (uint16_t)get(r, base, t->rcd);
        ret.rp = (uint16_t)get(r, base, t->rp);
        ret.ras = (uint16_t)get(r, base, t->ras);
        if (t->command_rate)
            ret.command_rate = rates[t->clock != CLOCK_SNB][get(r, base, t->command_rate)];
        decode_clock(r, t->clock, &ret);
    }
    if (r->is_silent)
        ret = (struct decoded_timing){ 0 };
    r->is_silent = was_silent;
    return ret;
}

static uint8_t ecc_of(struct reading *r, unsigned i)
{
    uint32_t controller = controller_of(r->generation, i), mode;
    const struct in_band *b = r->generation->in_band;

    if (r->generation->interleave == BY_INFERRED_HASH)
        return DECODED_ECC_UNKNOWN;
    if (b)
        return r->has_in_band_ecc &&
                       read_register(r, REGISTER_MCHBAR, (i / CHANNELS) * 0x10000 + b->activate) & 1
                   ? DECODED_ECC_IN_BAND
                   : DECODED_ECC_OFF;
    if (read_register(r, REGISTER_PCI, CAPID0) & NO_ECC)
        return DECODED_ECC_OFF;
    mode = get(r, controller + 4 * (i % CHANNELS), r->generation->modules->layout->ecc);
    return mode == 3 ? DECODED_ECC_ON : mode ? DECODED_ECC_UNKNOWN : DECODED_ECC_OFF;
}

static void decode_channel(struct reading *r, unsigned i)
{
    const struct modules *m = r->generation->modules;
    uint32_t at = controller_of(r->generation, i) + 4 * (i % CHANNELS);
    unsigned larger = get(r, at, r->generation->modules->layout->larger_module);
    struct decoded_channel *c = &r->ret->channel[i];

    c->controller = (uint8_t)(i / CHANNELS);
    c->number = i % CHANNELS;
    if (r->generation->interleave >= BY_SLICE_HASH)
        c->reads_counted = (struct register_id){ REGISTER_MCHBAR, 0,
                                                 controller_of(r->generation, i) + READS_COUNTED };
    for (unsigned k = 0; k < 2; k++) {
        struct decoded_dimm *d = &c->dimm[larger ^ k];
        unsigned width = get(r, at, m->width[k]);

        d->bytes = (uint64_t)get(r, at, m->size[k]) << m->unit_bits;
        if (!d->bytes)
            continue;
        d->ranks = (uint8_t)(get(r, at, m->ranks[k]) + 1);
        d->device_width = width < 3 ? (uint8_t)(8 << width) : 0;
    }
    if (c->dimm[larger].bytes < c->dimm[!larger].bytes)
        not_known(r, "the registers say that the smaller module of a channel is the larger");
    if (!decoded_bytes(c))
        return;
    c->ecc = ecc_of(r, i);
    c->timing = decode_timing(r, i);
}

enum memory { DDR3, DDR4, DDR5, LPDDR };

static bool has_in_band_ecc(struct reading *r, uint32_t stepping)
{
    const struct in_band *b = r->generation->in_band;

    if (!b || !b->capability)
        return b;
    return (read_register(r, REGISTER_PCI, b->capability) >> b->bit & 1) == b->is_with &&
           stepping >= b->min_stepping;
}

static enum memory memory_of(struct reading *r, unsigned channel)
{
    const struct generation *g = r->generation;
    uint32_t type = get(r, controller_of(g, channel), g->modules->layout->memory);

    if (g->modules->layout == &mad_chnl)
        return type ? LPDDR : DDR3;
    return !type ? DDR4 : type > 1 ? LPDDR : is_alder_lakes(g) ? DDR5 : DDR3;
}

/* DDR5: the two channels of a controller are the halves of the same modules, and say the same. */
static void join_halves(struct decoded_channel half[2])
{
    bool is_same = true;

    for (unsigned k = 0; k < DRAM_DIMMS_MAX; k++)
        is_same &= half[0].dimm[k].bytes == half[1].dimm[k].bytes;
    for (unsigned k = 0; k < DRAM_DIMMS_MAX && is_same; k++)
        half[1].dimm[k] = (struct decoded_dimm){ 0 };
}

/* Of a controller that is not there, all registers are ones. */
static void decode_channels(struct reading *r)
{
    struct decoded_controller *c = r->ret;
    uint32_t first;

    c->n_channels = CHANNELS * (r->generation->interleave >= BY_SLICE_HASH ? 2 : 1);
    for (unsigned i = 0; i < c->n_channels; i++) {
        if (!ask(r->source, REGISTER_MCHBAR, controller_of(r->generation, i), &first))
            continue;
        decode_channel(r, i);
        if (!decoded_bytes(&c->channel[i]))
            continue;
        if (memory_of(r, i) == DDR5 && i % CHANNELS)
            join_halves(&c->channel[i - 1]);
        else if (memory_of(r, i) == LPDDR)
            not_known(r, "which channel of LPDDR an address is in is not public");
    }
}

/*
 * A mask may or may not hold the bit that is removed from the address. The function has it in both
 * cases: without it, two addresses would be the same place.
 */
static uint64_t hash_at(struct reading *r, uint32_t at, uint64_t *ret_removed)
{
    const struct layout *l = r->generation->modules->layout;
    unsigned low = get(r, at, l->hash_low);

    *ret_removed = BIT(6 + low);
    if (get(r, at, l->hash_on))
        return *ret_removed | (uint64_t)get(r, at, l->hash_mask) << 6;
    if (low)
        not_known(r, "the registers do not say which address bit selects the channel");
    return *ret_removed;
}

static const char unpublished[] =
    "the function that selects the controller is not public; after faults it is searched for";

static const char inferred[] =
    "where the registers of the modules are is not public, and with one controller nothing shows it";

/* The function that selects the channel, or the controller where there are two. */
static uint64_t function_of(struct reading *r, uint64_t *ret_removed)
{
    uint32_t word;

    *ret_removed = BIT(6);
    switch (r->generation->interleave) {
    case BY_BIT_6: return *ret_removed;
    case BY_HASH: return hash_at(r, controller_of(r->generation, 0), ret_removed);
    case BY_SLICE_HASH:
        word = read_register(r, REGISTER_MCHBAR, 0x110ac);
        *ret_removed = BIT(6 + (word >> 24 & 7));
        return *ret_removed | (word & 0xfffc0);
    case BY_INFERRED_HASH: return *ret_removed = 0;
    default:
        word = read_register(r, REGISTER_MCHBAR, 0xd9b8);
        *ret_removed = BIT(6 + (word >> 1 & 7));
        return *ret_removed;
    }
}

/* By which addresses are interleaved: the channels, or each controller's only one. */
static void pick_units(struct reading *r, unsigned ret[2])
{
    const struct decoded_channel *c = r->ret->channel;

    for (unsigned k = 0; k < 2; k++) {
        ret[k] = k;
        if (r->ret->n_channels == CHANNELS)
            continue;
        ret[k] = CHANNELS * k + !decoded_bytes(&c[CHANNELS * k]);
        if (decoded_bytes(&c[CHANNELS * k]) && decoded_bytes(&c[CHANNELS * k + 1]))
            not_known(r, "both channels of a controller have modules of their own");
    }
}

static void check_sizes(struct reading *r, const uint64_t bytes[2])
{
    const struct generation *g = r->generation;
    uint64_t smaller = min_u64(bytes[0], bytes[1]);

    if (bytes[0] + bytes[1] != bridge_address(r, TOM, 20))
        not_known(r, "the host bridge says another size of all modules");
    if (r->ret->n_channels > CHANNELS)
        return;
    if ((uint64_t)get(r, controller_of(g, 0), g->modules->layout->smaller_channel)
            << g->modules->unit_bits !=
        smaller)
        not_known(r, "the registers say two sizes of the smaller channel");
    if (bytes[0] != bytes[1] &&
        get(r, controller_of(g, 0), g->modules->layout->larger_channel) != (bytes[1] > bytes[0]))
        not_known(r, "the registers say that the smaller channel is the larger");
}

/* Both share addresses up to twice the smaller's size; the larger has the rest alone. */
static void decode_zones(struct reading *r, const unsigned unit[2], const uint64_t bytes[2])
{
    uint64_t smaller = min_u64(bytes[0], bytes[1]), all = bytes[0] + bytes[1];
    struct dram_map *map = &r->ret->map;
    unsigned larger = unit[bytes[1] > bytes[0]];

    if (smaller) {
        struct dram_zone *z = &map->zone[map->n_zones++];

        *z = (struct dram_zone){ .end = 2 * smaller, .n_functions = 1 };
        z->function[0] = function_of(r, &z->removed);
        z->channel[0] = (uint8_t)unit[0];
        z->channel[1] = (uint8_t)unit[1];
    }
    if (2 * smaller < all)
        map->zone[map->n_zones++] = (struct dram_zone){
            .start = 2 * smaller, .end = all, .channel = { (uint8_t)larger }, .subtract = smaller
        };
}

/* Skylake and before: no register has the functions, but published maps show them. */
static bool has_published_maps(const struct generation *g)
{
    return g->modules == &by_256_mib || g->modules == &by_gib;
}

static bool is_on(struct reading *r, unsigned i, uint32_t field)
{
    return get(r, controller_of(r->generation, i) + 4 * (i % CHANNELS), field);
}

static bool is_enhanced(struct reading *r, unsigned i)
{
    const struct layout *l = r->generation->modules->layout;

    return has_published_maps(r->generation) && is_on(r, i, l->enhanced) &&
           !is_on(r, i, l->high_order);
}

static unsigned ranks_of(const struct decoded_channel *c)
{
    return c->dimm[0].ranks + c->dimm[1].ranks;
}

/* Whether a module of two ranks, or two alike of one, alternate as in published maps. */
static bool is_pair(struct reading *r, unsigned i)
{
    const struct decoded_channel *c = &r->ret->channel[i];
    bool is_one = !c->dimm[0].bytes || !c->dimm[1].bytes;

    return ranks_of(c) == 2 && (is_one || c->dimm[0].bytes == c->dimm[1].bytes) &&
           is_enhanced(r, i) && is_on(r, i, r->generation->modules->layout->interleave);
}

/*
 * The function that selects one of two modules. 0: it is not public, or not known because half of a
 * module is selected before it (DDR5).
 */
static uint64_t module_function(struct reading *r, unsigned i)
{
    uint64_t removed;

    if (r->ret->channel[i].ecc == DECODED_ECC_IN_BAND || memory_of(r, i) == DDR5)
        return 0;
    if (!has_published_maps(r->generation))
        return hash_at(r, controller_of(r->generation, i) + MODULE_HASH, &removed);
    return memory_of(r, i) == DDR3 && is_pair(r, i) ? BIT(16) | BIT(20) : 0;
}

static bool is_published(struct reading *r, unsigned i)
{
    const struct decoded_channel *c = &r->ret->channel[i];
    const struct dram_zone *z = r->ret->map.zone;
    bool is_ddr4 = memory_of(r, i) == DDR4, is_by_8 = true;

    for (unsigned k = 0; k < DRAM_DIMMS_MAX; k++)
        is_by_8 &= !c->dimm[k].bytes || c->dimm[k].device_width == 8;
    if (!is_by_8 || !is_enhanced(r, i) || decoded_bytes(c) & (decoded_bytes(c) - 1) ||
        r->ret->map.n_zones != 1 || z->removed > BIT(8) ||
        (is_ddr4 && z->n_functions && z->removed != BIT(8)))
        return false;
    return is_pair(r, i) || (is_ddr4 && ranks_of(c) == 1);
}

/*
 * Pairs of bits from `first` on, of which one says which rank, then the row. DDR4 has one more
 * function, whose lower bit makes room for a second channel. Of two modules of DDR4 it is not known
 * which pair is the module: banks are then those of both.
 */
static void decode_banks(struct reading *r, unsigned i)
{
    const struct decoded_channel *c = &r->ret->channel[i];
    struct dram_channel *m = &r->ret->map.channel[i];
    bool is_ddr4 = memory_of(r, i) == DDR4, is_one = !c->dimm[0].bytes || !c->dimm[1].bytes;
    unsigned first = is_ddr4 ? 14 : 13, pairs = is_ddr4 ? 2 + ranks_of(c) : 4;
    unsigned low = r->ret->map.zone->n_functions ? 7 : 6, rank = is_ddr4 ? 15 : 16;
    struct dram_geometry g = { 0 };

    if (!is_published(r, i))
        return;
    if (is_ddr4)
        g.bank[g.n_banks++] = BIT(low) | BIT(13);
    for (unsigned bit = first; bit < first + pairs; bit++) {
        uint64_t f = BIT(bit) | BIT(bit + pairs);

        if (ranks_of(c) == 1 || bit != rank || (is_ddr4 && !is_one))
            g.bank[g.n_banks++] = f;
        else if (is_one)
            m->select[0].flip[0] = f;
    }
    for (unsigned bit = 3; bit < first; bit++) {
        if (!is_ddr4 || bit != low)
            g.column[g.n_columns++] = (uint8_t)bit;
    }
    for (unsigned bit = first + pairs; BIT(bit) < decoded_bytes(c); bit++)
        g.row[g.n_rows++] = (uint8_t)bit;
    for (unsigned k = 0; k <= DRAM_DIMM_UNKNOWN; k++)
        m->dimm[k] = g;
}

/* Both share addresses up to twice the smaller's size; the larger has the rest alone. */
static void decode_modules(struct reading *r, unsigned i)
{
    const struct decoded_channel *c = &r->ret->channel[i];
    struct dram_channel *m = &r->ret->map.channel[i];
    uint64_t smaller = min_u64(c->dimm[0].bytes, c->dimm[1].bytes), all = decoded_bytes(c), f;
    uint8_t larger = (uint8_t)((c->dimm[1].bytes > c->dimm[0].bytes) << 2);
    struct dram_select *s = m->select;

    *s = (struct dram_select){ .end = all, .number = larger };
    if (smaller) {
        f = module_function(r, i);
        s->number = f ? 0 : DRAM_DIMM_UNKNOWN << 2;
        s->flip[1] = f;
        if (f || (has_published_maps(r->generation) &&
                  is_on(r, i, r->generation->modules->layout->interleave)))
            s->end = 2 * smaller;
    }
    m->n_selects = 1;
    if (s->end < all)
        m->select[m->n_selects++] =
            (struct dram_select){ .start = s->end, .end = all, .number = larger };
    decode_banks(r, i);
}

/* Memory behind the hole below 4 GiB has other addresses. */
static void decode_move(struct reading *r)
{
    uint64_t low = read_register(r, REGISTER_PCI, TOLUD) & 0xfff00000;
    uint64_t start = bridge_address(r, REMAP_BASE, 20);
    uint64_t end = bridge_address(r, REMAP_LIMIT, 20) + BIT(20);
    uint32_t controller = controller_of(r->generation, 0);
    struct dram_map *map = &r->ret->map;

    if (!start && end == BIT(20)) {
        start = address_in(r, REGISTER_MCHBAR, controller + REMAP_BASE, 20);
        end = address_in(r, REGISTER_MCHBAR, controller + REMAP_LIMIT, 20) + BIT(20);
    }
    if (start >= end) /* off */
        return;
    if (!low || start < GIB4 || end - start > GIB4 - low ||
        low + (end - start) > bridge_address(r, TOM, 20))
        not_known(r, "the host bridge moves memory that is not there");
    map->move[map->n_moves++] = (struct dram_move){ start, end, start - low };
}

static void decode_map(struct reading *r)
{
    uint64_t bytes[2];
    unsigned unit[2];

    pick_units(r, unit);
    for (unsigned k = 0; k < 2; k++)
        bytes[k] = decoded_bytes(&r->ret->channel[unit[k]]);
    if (!bytes[0] && !bytes[1]) {
        not_known(r, "the registers say that no channel has modules");
        return;
    }
    check_sizes(r, bytes);
    decode_zones(r, unit, bytes);
    for (unsigned k = 0; k < 2; k++) {
        if (bytes[k])
            decode_modules(r, unit[k]);
    }
    decode_move(r);
    if (r->is_silent)
        r->ret->unknown = "a register of the memory controllers does not answer";
    if (is_alder_lakes(r->generation) && bytes[0] && bytes[1])
        not_known(r, unpublished);
    else if (r->generation->interleave == BY_INFERRED_HASH)
        not_known(r, inferred);
}

static const struct generation *generation_here(const struct register_source *source)
{
    uint32_t id;

    return ask(source, REGISTER_PCI, 0, &id) ? generation_of(id) : NULL;
}

uint64_t decode_intel_mchbar(const struct register_source *source)
{
    struct reading r = { .source = source, .generation = generation_here(source) };
    uint64_t base;

    if (!r.generation || !(read_register(&r, REGISTER_PCI, MCHBAR) & 1))
        return 0;
    base = bridge_address(&r, MCHBAR, 15);
    return r.is_silent ? 0 : base;
}

bool decode_intel_client(const struct cpu_model *cpu, const struct register_source *source,
                         struct decoded_controller *ret)
{
    struct reading r = { .source = source, .generation = generation_here(source), .ret = ret };

    if (cpu->vendor != CPU_VENDOR_INTEL || !r.generation)
        return false;
    *ret = (struct decoded_controller){ .family = r.generation->name };
    if (!decode_intel_mchbar(source)) {
        ret->unknown = "the registers of the memory controllers are off";
        return true;
    }
    r.has_in_band_ecc = has_in_band_ecc(&r, cpu->stepping);
    decode_channels(&r);
    for (unsigned i = 0; i < ret->n_channels && r.is_silent; i++)
        ret->channel[i].ecc = DECODED_ECC_UNKNOWN;
    ret->map.n_channels = ret->n_channels;
    decode_map(&r);
    if (ret->unknown && ret->unknown != unpublished) {
        ret->map = (struct dram_map){ 0 };
        if (r.generation->interleave == BY_INFERRED_HASH)
            ret->n_channels = 0;
    }
    return true;
}
