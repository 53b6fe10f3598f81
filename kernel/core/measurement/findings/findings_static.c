// SPDX-License-Identifier: MIT
#include "findings/findings_text.h"

#include "lib/string.h"

/* 2666 and 2667 MT/s are the same speed. */
#define SPEED_TOLERANCE_PERCENT 2

#define SPEED_SENTENCES_MAX 4

static const char may_be_why[] =
    "possible reasons are a BIOS mode (mirroring, sparing, lockstep) or disabled slots";

static bool is_populated(const void *ctx, uint32_t i)
{
    return ((const struct smbios_memory *)ctx)->slot[i].is_populated;
}

static bool is_empty(const void *ctx, uint32_t i)
{
    return !is_populated(ctx, i);
}

static bool has_no_range(const void *ctx, uint32_t i)
{
    return is_populated(ctx, i) && !((const struct smbios_memory *)ctx)->slot[i].has_range;
}

static bool has_no_speed(const void *ctx, uint32_t i)
{
    return is_populated(ctx, i) && !((const struct smbios_memory *)ctx)->slot[i].configured_mt_s;
}

static bool is_locator_unique(const struct smbios_memory *m, uint32_t i)
{
    for (uint32_t k = 0; k < m->n_slot; k++) {
        if (k != i && strcmp(m->slot[k].locator, m->slot[i].locator) == 0)
            return false;
    }
    return true;
}

/* The locator; with the bank where several slots have the same; by number where there is none. */
static void slot_name(const void *ctx, uint32_t i, struct fmt_buffer *out)
{
    const struct smbios_memory *m = ctx;
    const struct smbios_slot *s = &m->slot[i];

    if (!s->locator[0])
        fmt_append(out, "slot %u", i + 1);
    else if (s->bank[0] && !is_locator_unique(m, i))
        fmt_append(out, "%s %s", s->bank, s->locator);
    else
        fmt_append(out, "%s", s->locator);
}

/* "SMBIOS lists 96 GiB in 12 slots, but only 64 GiB"; or the sum of the modules' SPDs. */
static void append_sizes(const struct findings_input *in, struct findings_text *t)
{
    const struct smbios_memory *m = in->slots;
    uint64_t listed = m ? m->installed_bytes : 0, installed = in->unseen.installed_bytes;

    if (!m || installed > listed) {
        fmt_append(&t->buffer, "the SPDs of the modules add up to ");
        findings_size(t, installed);
        fmt_append(&t->buffer, ", but SMBIOS lists ");
        if (listed) {
            fmt_append(&t->buffer, "only ");
            findings_size(t, listed);
        } else {
            fmt_append(&t->buffer, "none");
        }
        fmt_append(&t->buffer, ", and only ");
    } else {
        fmt_append(&t->buffer, "SMBIOS lists ");
        findings_size(t, installed);
        if (m->populated < m->slots)
            fmt_append(&t->buffer, " in %u of %u slots, but only ", m->populated, m->slots);
        else
            fmt_append(&t->buffer, " in %u slot%s, but only ", m->slots, fmt_plural(m->slots));
    }
    findings_size(t, in->usable_bytes);
    fmt_append(&t->buffer, " is usable: ");
    findings_size(t, in->unseen.missing_bytes);
    fmt_append(&t->buffer, " is missing");
}

/* ": the module at SMBus address 0x51", or several, or of which it may be one. */
static void append_addresses(const struct unseen *u, struct fmt_buffer *out)
{
    if (!u->n_at || !u->modules)
        return;
    fmt_append(out, ": ");
    if (u->modules < u->n_at)
        fmt_append(out, "%u of ", u->modules);
    fmt_append(out, "the module%s at SMBus address%s", fmt_plural(u->n_at),
               u->n_at == 1 ? "" : "es");
    for (size_t i = 0; i < u->n_at; i++)
        fmt_append(out, "%s 0x%x", i ? "," : "", u->at[i]);
}

static void warn_of_missing(const struct findings_input *in, const struct warnings *warnings)
{
    const struct unseen *u = &in->unseen;
    struct findings_text t;

    findings_begin(&t);
    append_sizes(in, &t);
    append_addresses(u, &t.buffer);
    if (!u->n_at && u->modules && !u->at_least)
        fmt_append(&t.buffer, ", the size of %u module%s", u->modules, fmt_plural(u->modules));
    fmt_append(&t.buffer, "; %s", may_be_why);
    if (in->slots) {
        fmt_append(&t.buffer, "; populated: ");
        findings_list(&t, in->slots->n_slot, is_populated, slot_name, in->slots);
    }
    findings_say(&t, warnings);
}

/* Only some firmware says it, and then of each module that it uses. */
static void warn_of_not_counted(const struct smbios_memory *m, findings_filter *without,
                                const char *what, const struct warnings *warnings)
{
    uint32_t n = findings_count(m->n_slot, without, m);
    struct findings_text t;

    if (n == 0 || n == m->populated)
        return;
    findings_begin(&t);
    fmt_append(&t.buffer, "populated but possibly unused, because SMBIOS gives %s no %s: ",
               n == 1 ? "it" : "them", what);
    findings_list(&t, m->n_slot, without, slot_name, m);
    findings_say(&t, warnings);
}

static void warn_of_empty(const struct smbios_memory *m, const struct warnings *warnings)
{
    uint32_t n = findings_count(m->n_slot, is_empty, m);
    struct findings_text t;

    if (n == 0)
        return;
    findings_begin(&t);
    fmt_append(&t.buffer, "%u of %u slots %s empty or disabled: ", n, m->slots,
               n == 1 ? "is" : "are");
    findings_list(&t, m->n_slot, is_empty, slot_name, m);
    findings_say(&t, warnings);
}

static bool is_slow(const struct smbios_memory *m, const struct smbios_slot *s)
{
    uint64_t rated = s->rated_mt_s, configured = s->configured_mt_s;
    uint64_t tolerance = rated * SPEED_TOLERANCE_PERCENT / 100;

    if (!s->is_populated || !rated || !configured || configured + tolerance >= rated)
        return false;
    /* A board that counts clocks reports half the transfers. */
    return !(m->speeds_in_mhz && configured * 2 + 2 >= rated && configured * 2 <= rated + 2);
}

/* Modules of one pair of speeds. */
struct speed {
    const struct smbios_memory *memory;
    uint32_t rated_mt_s, configured_mt_s;
};

static bool runs_at(const void *ctx, uint32_t i)
{
    const struct speed *speed = ctx;
    const struct smbios_slot *s = &speed->memory->slot[i];

    return s->is_populated && s->rated_mt_s == speed->rated_mt_s &&
           s->configured_mt_s == speed->configured_mt_s;
}

static void name_at_speed(const void *ctx, uint32_t i, struct fmt_buffer *out)
{
    slot_name(((const struct speed *)ctx)->memory, i, out);
}

static void warn_of_speed(const struct speed *speed, const struct warnings *warnings)
{
    const struct smbios_memory *m = speed->memory;
    uint32_t n = findings_count(m->n_slot, runs_at, speed);
    struct findings_text t;

    findings_begin(&t);
    if (n > 1 && n == m->populated) {
        fmt_append(&t.buffer, "all %u modules run at %u MT/s, rated %u", n, speed->configured_mt_s,
                   speed->rated_mt_s);
    } else {
        fmt_append(&t.buffer, "%u module%s at %u MT/s, rated %u: ", n, n == 1 ? " runs" : "s run",
                   speed->configured_mt_s, speed->rated_mt_s);
        findings_list(&t, m->n_slot, runs_at, name_at_speed, speed);
    }
    findings_say(&t, warnings);
}

/* A sentence for each pair of speeds: usually all modules are the same. */
static void warn_of_speeds(const struct smbios_memory *m, const struct warnings *warnings)
{
    uint32_t n_given = 0;

    for (uint32_t i = 0; i < m->n_slot && n_given < SPEED_SENTENCES_MAX; i++) {
        struct speed speed = { m, m->slot[i].rated_mt_s, m->slot[i].configured_mt_s };
        bool is_first = true;

        if (!is_slow(m, &m->slot[i]))
            continue;
        for (uint32_t k = 0; k < i && is_first; k++)
            is_first = !runs_at(&speed, k);
        if (is_first) {
            warn_of_speed(&speed, warnings);
            n_given++;
        }
    }
}

static void find_in_slots(const struct findings_input *in, const struct warnings *warnings)
{
    const struct smbios_memory *m = in->slots;

    if (in->unseen.missing_bytes)
        warn_of_missing(in, warnings);
    if (!m)
        return;
    if (in->unseen.missing_bytes) {
        warn_of_not_counted(m, has_no_range, "address range", warnings);
        warn_of_not_counted(m, has_no_speed, "configured speed", warnings);
        warn_of_empty(m, warnings);
    }
    warn_of_speeds(m, warnings);
}

/* ECC that the modules have, but that is off. */
static void warn_of_ecc(const struct findings_input *in, const struct warnings *warnings)
{
    if (in->ecc.state != MEMORY_ECC_UNUSED)
        return;
    warn_print(warnings,
               "ECC is off by %s, although the modules have it: errors of memory are neither "
               "corrected nor reported; see whether the BIOS setup can turn it on",
               strcmp(in->ecc.by, "controller") == 0 ? "the registers of the memory controller"
                                                     : "SMBIOS");
}

/* Nodes of equal modules still differ by what firmware keeps of one of them. */
#define UNEQUAL_MIN_BYTES    (UINT64_C(1) << 30)
#define UNEQUAL_MIN_FRACTION 8

static bool has_cpus(const void *ctx, uint32_t i)
{
    return ((const struct findings_input *)ctx)->node[i].cpus;
}

static bool has_cpus_only(const void *ctx, uint32_t i)
{
    return has_cpus(ctx, i) && !((const struct findings_input *)ctx)->node[i].ram_bytes;
}

static void node_name(const void *ctx, uint32_t i, struct fmt_buffer *out)
{
    fmt_append(out, "%u", ((const struct findings_input *)ctx)->node[i].domain);
}

/* Memory without CPUs of its own, such as CXL, is a node of no socket. */
static void warn_of_sockets(const struct findings_input *in, const struct warnings *warnings)
{
    uint32_t n = findings_count(in->nodes, has_cpus, in);

    if (in->sockets <= n || n == 0)
        return;
    if (!in->has_srat)
        warn_print(warnings,
                   "%u sockets but one node: node interleaving is on, or firmware provides no SRAT",
                   in->sockets);
    else if (n == 1)
        warn_print(warnings,
                   "%u sockets but one node: node interleaving is on, so that %u of %u lines or "
                   "pages are remote to each CPU",
                   in->sockets, in->sockets - 1, in->sockets);
    else
        warn_print(warnings,
                   "%u sockets but only %u nodes with CPUs: node interleaving is partly on, or the "
                   "SRAT is wrong",
                   in->sockets, n);
}

static void warn_of_nodes_without_ram(const struct findings_input *in,
                                      const struct warnings *warnings)
{
    uint32_t n = findings_count(in->nodes, has_cpus_only, in);
    struct findings_text t;

    if (n == 0)
        return;
    findings_begin(&t);
    fmt_append(&t.buffer,
               "%u node%s CPUs but no RAM, so all memory is remote to %s (slots empty or "
               "disabled?): node%s ",
               n, n == 1 ? " has" : "s have", n == 1 ? "it" : "them", fmt_plural(n));
    findings_list(&t, in->nodes, has_cpus_only, node_name, in);
    findings_say(&t, warnings);
}

static void warn_of_unequal_ram(const struct findings_input *in, const struct warnings *warnings)
{
    const struct findings_node *least = NULL, *most = NULL;
    struct findings_text t;
    uint64_t more;

    for (uint32_t i = 0; i < in->nodes; i++) {
        const struct findings_node *n = &in->node[i];

        if (!n->cpus || !n->ram_bytes)
            continue;
        if (!least || n->ram_bytes < least->ram_bytes)
            least = n;
        if (!most || n->ram_bytes > most->ram_bytes)
            most = n;
    }
    more = least ? most->ram_bytes - least->ram_bytes : 0;
    if (more <= UNEQUAL_MIN_BYTES || more <= most->ram_bytes / UNEQUAL_MIN_FRACTION)
        return;
    findings_begin(&t);
    fmt_append(&t.buffer, "nodes are unequal: node %u has ", least->domain);
    findings_size(&t, least->ram_bytes);
    fmt_append(&t.buffer, " of RAM, node %u has ", most->domain);
    findings_size(&t, most->ram_bytes);
    findings_say(&t, warnings);
}

static void warn_of_unequal_cpus(const struct findings_input *in, const struct warnings *warnings)
{
    const struct findings_node *least = NULL, *most = NULL;

    for (uint32_t i = 0; i < in->nodes; i++) {
        const struct findings_node *n = &in->node[i];

        if (!n->cpus)
            continue;
        if (!least || n->cpus < least->cpus)
            least = n;
        if (!most || n->cpus > most->cpus)
            most = n;
    }
    if (least && least->cpus < most->cpus)
        warn_print(warnings, "nodes are unequal: node %u has %u CPU%s, node %u has %u",
                   least->domain, least->cpus, fmt_plural(least->cpus), most->domain, most->cpus);
}

static void find_in_nodes(const struct findings_input *in, const struct warnings *warnings)
{
    warn_of_sockets(in, warnings);
    warn_of_nodes_without_ram(in, warnings);
    warn_of_unequal_ram(in, warnings);
    warn_of_unequal_cpus(in, warnings);
}

void findings_static(const struct findings_input *in, const struct warnings *warnings)
{
    find_in_slots(in, warnings);
    warn_of_ecc(in, warnings);
    find_in_nodes(in, warnings);
}
