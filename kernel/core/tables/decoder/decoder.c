// SPDX-License-Identifier: MIT
#include "decoder/decoder.h"

#include <stddef.h>

static void append_dimm(struct fmt_buffer *b, const struct decoded_dimm *dimm)
{
    if (!dimm->bytes) {
        fmt_append(b, "none");
        return;
    }
    fmt_append(b, "%s", FMT_SIZE(dimm->bytes));
    if (dimm->ranks)
        fmt_append(b, ", %u rank%s", dimm->ranks, fmt_plural(dimm->ranks));
    if (dimm->ranks && dimm->device_width)
        fmt_append(b, " of x%u chips", dimm->device_width);
}

void decoded_append_timing(struct fmt_buffer *b, const struct decoded_timing *t)
{
    if (t->mts)
        fmt_append(b, "%u MT/s", t->mts);
    if (t->cl)
        fmt_append(b, "%s%u-%u-%u-%u", t->mts ? " " : "", t->cl, t->rcd, t->rp, t->ras);
    if (t->cl && t->command_rate)
        fmt_append(b, " %uT", t->command_rate);
    if (t->gear > 1)
        fmt_append(b, ", gear %u", t->gear);
    if (!t->mts)
        fmt_append(b, "%s not known", t->cl ? ", speed" : "speed and timings");
}

void decoded_append_channel(struct fmt_buffer *b, const struct decoded_controller *controller,
                            unsigned channel)
{
    static const char *const ecc[] = { "", "; ECC off", "; ECC off, although the modules have it",
                                       "; in-band ECC on", "; ECC on" };
    const struct decoded_channel *c = &controller->channel[channel];

    fmt_append(b, "channel %u (channel %u of controller %u", channel, c->number, c->controller);
    if (c->node)
        fmt_append(b, " of socket %u", c->node);
    fmt_append(b, "): ");
    for (unsigned i = 0; i < DRAM_DIMMS_MAX; i++) {
        fmt_append(b, "%smodule %u: ", i ? "; " : "", i);
        append_dimm(b, &c->dimm[i]);
    }
    if (decoded_bytes(c)) {
        fmt_append(b, "; ");
        decoded_append_timing(b, &c->timing);
    }
    fmt_append(b, "%s", ecc[c->ecc]);
}

/* Registers of which a part is 0 do not have timings. */
static void drop_partial_timings(struct decoded_controller *c)
{
    for (unsigned i = 0; i < c->n_channels; i++) {
        struct decoded_timing *t = &c->channel[i].timing;

        if (!t->cl || !t->rcd || !t->rp || !t->ras)
            t->cl = t->rcd = t->rp = t->ras = t->command_rate = 0;
    }
}

static void take_geometry(struct decoded_controller *c)
{
    for (unsigned i = 0; i < c->n_channels && !c->unknown; i++) {
        for (unsigned d = 0; d < DRAM_DIMMS_MAX; d++) {
            const struct dram_geometry *g = &c->map.channel[i].dimm[d];

            if (!g->n_banks || !c->channel[i].dimm[d].bytes)
                continue;
            c->channel[i].dimm[d].banks = UINT32_C(1) << g->n_banks;
            c->channel[i].dimm[d].rows = UINT32_C(1) << g->n_rows;
        }
    }
}

void controller_decode(const struct cpu_model *cpu, const struct register_source *source,
                       struct decoded_controller *ret)
{
    static bool (*const families[])(const struct cpu_model *, const struct register_source *,
                                    struct decoded_controller *) = {
        decode_amd_zen,
        decode_intel_client,
        decode_intel_skylake_sp,
    };

    *ret = (struct decoded_controller){ 0 };
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        if (families[i](cpu, source, ret)) {
            drop_partial_timings(ret);
            take_geometry(ret);
            return;
        }
    }
    ret->unknown = "okram does not know the memory controllers of this processor";
}
