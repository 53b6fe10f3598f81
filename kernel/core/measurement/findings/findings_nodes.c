// SPDX-License-Identifier: MIT
#include "findings/findings_text.h"

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
static void emit_sockets(const struct findings_input *in, const struct warnings *warnings)
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

static void emit_without_ram(const struct findings_input *in, const struct warnings *warnings)
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

static void emit_unequal_ram(const struct findings_input *in, const struct warnings *warnings)
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

static void emit_unequal_cpus(const struct findings_input *in, const struct warnings *warnings)
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

void findings_nodes(const struct findings_input *in, const struct warnings *warnings)
{
    emit_sockets(in, warnings);
    emit_without_ram(in, warnings);
    emit_unequal_ram(in, warnings);
    emit_unequal_cpus(in, warnings);
}
