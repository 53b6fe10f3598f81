// SPDX-License-Identifier: MIT
#include "spd/geometry.h"

#include <stddef.h>

#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/span.h"
#include "lib/string.h"

#define PER_CENT  100u
#define SHARE     4u /* of a module's addresses that would reach others: fewer are no whole line */
#define SLACK     (UINT64_C(1) << 30) /* bytes that firmware and graphics may have beside RAM */
#define DIMMS_MAX (DRAM_CHANNELS_MAX * DRAM_DIMMS_MAX)

/* Modules as the controllers have them, and whether a module states the same. */
struct comparison {
    struct {
        const struct decoded_dimm *dimm;
        bool has_rows, is_stated;
    } at[DIMMS_MAX];
    unsigned n;
    uint64_t bytes, stated_bytes;
};

static void list_dimms(const struct decoded_controller *controller, struct comparison *ret)
{
    for (unsigned i = 0; i < controller->n_channels; i++) {
        for (unsigned d = 0; d < DRAM_DIMMS_MAX; d++) {
            const struct decoded_dimm *dimm = &controller->channel[i].dimm[d];

            if (!dimm->bytes)
                continue;
            ret->at[ret->n].dimm = dimm;
            /* Else it is a map of both modules of a channel together, with the rows of both. */
            ret->at[ret->n++].has_rows =
                dimm->rows && !controller->map.channel[i].dimm[DRAM_DIMM_UNKNOWN].n_banks;
            ret->bytes += dimm->bytes;
        }
    }
}

/* All are known by SPDs that may be believed. */
static bool are_stated(const struct modules *modules)
{
    const uint32_t wrong =
        UINT32_C(1) << SPD_BASE_CRC | UINT32_C(1) << SPD_SIZE | UINT32_C(1) << SPD_ADDRESSES;

    for (size_t i = 0; i < modules->n; i++) {
        const struct module_spd *spd = modules->module[i].spd;

        if (!spd || !spd->spd.size_bytes || spd->spd.problems & wrong)
            return false;
    }
    return modules->n && !modules->n_others;
}

/* The buffer of an LRDIMM shows the controller other ranks. */
static bool is_same(const struct spd *spd, const struct decoded_dimm *d, bool has_rows)
{
    bool has_ranks =
        d->ranks && spd->ranks && !spd->ranks_differ && strcmp(spd_form_name(spd), "LRDIMM") != 0;

    return d->bytes == spd->size_bytes && (!has_ranks || d->ranks == spd->ranks) &&
           (!has_rows || !spd->row_bits || d->rows == UINT32_C(1) << spd->row_bits);
}

/* False: no DIMM that is left is as this module states. */
static bool take_dimm(struct comparison *c, const struct spd *spd)
{
    for (unsigned i = 0; i < c->n; i++) {
        if (c->at[i].is_stated || !is_same(spd, c->at[i].dimm, c->at[i].has_rows))
            continue;
        c->at[i].is_stated = true;
        return true;
    }
    return false;
}

/* NULL: none, or several. bytes: what it states. */
static const struct module *only_of_size(const struct modules *modules, uint64_t bytes)
{
    const struct module *found = NULL;

    for (size_t i = 0; i < modules->n; i++) {
        if (modules->module[i].size_bytes != bytes)
            continue;
        if (found)
            return NULL;
        found = &modules->module[i];
    }
    return modules->n_others ? NULL : found;
}

static void append_module(struct fmt_buffer *b, const struct module *m)
{
    char place[SMBIOS_NAME_SIZE];

    if (m)
        fmt_append(b, "The module %s", module_place(m, place));
    else
        fmt_append(b, "A module");
}

static void append_dimm(struct fmt_buffer *b, uint64_t bytes, unsigned ranks, uint32_t rows)
{
    fmt_append(b, "%s", FMT_SIZE(bytes));
    if (ranks)
        fmt_append(b, ", %u rank%s", ranks, fmt_plural(ranks));
    if (rows)
        fmt_append(b, ", %u rows", rows);
}

/* One module and one DIMM are left. */
static void say_one(struct fmt_buffer *b, const struct module *m, const struct decoded_dimm *d,
                    bool has_rows, struct geometry *ret)
{
    const struct spd *spd = &m->spd->spd;

    ret->stated_bytes = spd->size_bytes;
    ret->controller_bytes = d->bytes;
    append_module(b, ret->module);
    fmt_append(b, " states ");
    append_dimm(b, spd->size_bytes, spd->ranks, has_rows ? UINT32_C(1) << spd->row_bits : 0);
    fmt_append(b, " in its SPD, but the memory controller is set to ");
    append_dimm(b, d->bytes, d->ranks, has_rows ? d->rows : 0);
}

static void say_all(struct fmt_buffer *b, const struct modules *modules, const struct comparison *c,
                    struct geometry *ret)
{
    ret->stated_bytes = c->stated_bytes;
    ret->controller_bytes = c->bytes;
    fmt_append(
        b, "SPDs state %zu module%s, %s in all, but the memory controllers are set to %u, %s",
        modules->n, fmt_plural(modules->n), FMT_SIZE(c->stated_bytes), c->n, FMT_SIZE(c->bytes));
}

static void say_difference(const struct geometry_facts *f, const struct comparison *c,
                           const struct module *left, unsigned n_left, struct geometry *ret)
{
    struct fmt_buffer b = fmt_buffer_make(ret->text, sizeof(ret->text));
    unsigned dimm = 0;

    while (dimm < c->n && c->at[dimm].is_stated)
        dimm++;
    if (n_left == 1 && f->modules->n == c->n) {
        ret->module = only_of_size(f->modules, left->size_bytes);
        say_one(&b, left, c->at[dimm].dimm, c->at[dimm].has_rows && left->spd->spd.row_bits, ret);
    } else {
        say_all(&b, f->modules, c, ret);
    }
    fmt_append(&b, ": firmware has set it otherwise, or has read another SPD");
    if (f->alias.pages && ret->controller_bytes > ret->stated_bytes)
        fmt_append(&b, ". Addresses that reach the same cells confirm the SPD");
}

/* Registers that have less than there is, or much more, are not believed. */
static bool compare(const struct geometry_facts *f, struct geometry *ret)
{
    const struct module *left = NULL;
    struct comparison c = { .n = 0 };
    unsigned n_left = 0;

    list_dimms(f->controller, &c);
    if (!are_stated(f->modules) || c.bytes < f->ram_bytes ||
        c.bytes > f->ram_bytes + f->ram_bytes / 4 + SLACK)
        return false;
    for (size_t i = 0; i < f->modules->n; i++) {
        c.stated_bytes += f->modules->module[i].size_bytes;
        if (take_dimm(&c, &f->modules->module[i].spd->spd))
            continue;
        left = &f->modules->module[i];
        n_left++;
    }
    if (!n_left && f->modules->n == c.n)
        return false;
    ret->finding = GEOMETRY_CONTROLLER;
    say_difference(f, &c, left, n_left, ret);
    return true;
}

static uint64_t smallest_of(const struct modules *modules)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < modules->n; i++) {
        uint64_t size = modules->module[i].size_bytes;

        if (size)
            bytes = bytes ? min_u64(bytes, size) : size;
    }
    return bytes;
}

/* Differ in the highest bit of an address in a module of that size, or a higher one. */
static bool is_high(uint64_t bits, uint64_t bytes)
{
    return bits >= bytes / 2;
}

/*
 * The size of a module in which these two differ as if its highest address bit did not exist. 0:
 * there is none.
 */
static uint64_t size_by_map(const struct geometry_facts *f)
{
    const struct decoded_controller *c = f->controller;
    const struct dram_channel *map;
    struct dram_place p, q;
    uint64_t bytes;

    if (!dram_map_locate(&c->map, f->alias.address, &p) ||
        !dram_map_locate(&c->map, f->alias.partner, &q) || p.channel != q.channel ||
        p.dimm != q.dimm || p.dimm == DRAM_DIMM_UNKNOWN)
        return 0;
    map = &c->map.channel[p.channel];
    bytes = c->channel[p.channel].dimm[p.dimm].bytes;
    if (!map->dimm[p.dimm].n_banks || map->dimm[DRAM_DIMM_UNKNOWN].n_banks)
        return is_high(f->alias.bits, bytes) ? bytes : 0;
    return p.rank == q.rank && p.bank == q.bank && p.subchannel == q.subchannel &&
                   p.column == q.column &&
                   (p.row ^ q.row) == UINT32_C(1) << (map->dimm[p.dimm].n_rows - 1)
               ? bytes
               : 0;
}

/* Without a map any module may be it. */
static uint64_t size_of_halved(const struct geometry_facts *f)
{
    uint64_t bytes = smallest_of(f->modules);

    if (f->controller->family && !f->controller->unknown)
        return size_by_map(f);
    return is_high(f->alias.bits, bytes) ? bytes : 0;
}

/* As much of the memory that was tested as half a module would be. */
static bool is_half(const struct geometry_facts *f, uint64_t bytes)
{
    uint64_t per_cent = f->ram_bytes ? f->tested_bytes / (f->ram_bytes / PER_CENT + 1) : 0;

    return f->alias.pages * PAGE_SIZE * 2 * SHARE >= bytes / PER_CENT * per_cent && per_cent;
}

static bool find_halved(const struct geometry_facts *f, struct geometry *ret)
{
    struct fmt_buffer b = fmt_buffer_make(ret->text, sizeof(ret->text));
    uint64_t bytes = f->alias.pages && f->alias.bits ? size_of_halved(f) : 0;

    if (!bytes || !is_half(f, bytes))
        return false;
    ret->finding = GEOMETRY_SPD;
    ret->stated_bytes = bytes;
    ret->module = only_of_size(f->modules, bytes);
    append_module(&b, ret->module);
    fmt_append(&b,
               " states %s%s, but acts as one of %s: half of its addresses reach the cells of the "
               "other half. Either its SPD states too much (a forged module, or an attack on "
               "encrypted memory), or its highest address line is broken",
               FMT_SIZE(bytes), ret->module && ret->module->spd ? " in its SPD" : "",
               FMT_SIZE(bytes / 2));
    return true;
}

void geometry_find(const struct geometry_facts *facts, struct geometry *ret)
{
    *ret = (struct geometry){ .alias_bytes = facts->alias.pages * PAGE_SIZE };
    if (!compare(facts, ret))
        find_halved(facts, ret);
}

const char *geometry_word(enum geometry_finding finding)
{
    static const char *const words[GEOMETRY_FINDINGS] = {
        [GEOMETRY_NONE] = NULL,
        [GEOMETRY_CONTROLLER] = "controller",
        [GEOMETRY_SPD] = "spd",
    };

    return words[finding];
}
