// SPDX-License-Identifier: MIT
#pragma once

#include "decoder/decoder.h"
#include "tests/unit/digest.h"

static inline void digest_add_channel(uint64_t *digest, const struct decoded_channel *c)
{
    const struct decoded_timing *t = &c->timing;
    const uint32_t all[] = { c->node, c->controller, c->number, c->ecc,          t->cl,  t->rcd,
                             t->rp,   t->ras,        t->gear,   t->command_rate, t->mts, 0 };

    for (unsigned i = 0; i < DRAM_DIMMS_MAX; i++) {
        digest_add(digest, c->dimm[i].bytes);
        digest_add(digest, (uint64_t)c->dimm[i].ranks << 32 | c->dimm[i].device_width);
        digest_add(digest, (uint64_t)c->dimm[i].banks << 32 | c->dimm[i].rows);
    }
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        digest_add(digest, all[i]);
    digest_add(digest, (uint64_t)c->reads_counted.unit << 32 | c->reads_counted.offset);
}

/* What was decoded: the modules, and the places of a few addresses. */
static inline void digest_add_decoded(uint64_t *digest, const struct decoded_controller *c)
{
    uint64_t random = c->n_channels;

    digest_add(digest, c->n_channels);
    digest_add(digest, !c->unknown);
    for (unsigned i = 0; i < c->n_channels; i++)
        digest_add_channel(digest, &c->channel[i]);
    for (unsigned i = 0; i < 4; i++) {
        struct dram_place p = { 0 };

        digest_add(digest, dram_map_locate(&c->map, splitmix_next(&random) >> (24 + 2 * i), &p));
        digest_add(digest, (uint64_t)p.channel << 48 | p.dimm << 16 | p.rank << 8 | p.bank);
        digest_add(digest, (uint64_t)p.row << 32 | p.column << 8 | p.subchannel);
    }
}
