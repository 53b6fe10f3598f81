// SPDX-License-Identifier: MIT
#include "report/text_line.h"

#include "firmware/memory_ecc.h"
#include "lib/string.h"
#include "machine_facts/support.h"
#include "report/format_text.h"
#include "spd/module_lines.h"

void text_start(struct text_log *l, const struct event_start *s)
{
    fmt_append(&l->out, TEXT_TIME "okram %s, started by %s, %s\n", l->t, s->version,
               strcmp(s->boot, "uefi") == 0 ? "UEFI" : "BIOS", s->loader);
    text_line(l, "options", "%s", *s->cmdline ? s->cmdline : "(none)");
}

/* "ASUS X1 3, serial 12", as far as firmware says it. */
static void write_maker(struct text_log *l, const char *label, const struct smbios_maker *m,
                        bool has_serial)
{
    const char *const name[] = { m->maker, m->product, m->version };
    char text[4 * SMBIOS_NAME_MAX + 16];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        if (!smbios_name_is_filler(name[i]))
            fmt_append(&b, "%s%s", b.length ? " " : "", name[i]);
    }
    if (has_serial && !smbios_name_is_filler(m->serial))
        fmt_append(&b, "%sserial %s", b.length ? ", " : "", m->serial);
    if (b.length)
        text_line(l, label, "%s", text);
}

void text_identity(struct text_log *l, const struct event_identity *i)
{
    text_line(l, "run", "%s%s%s", i->run, *i->date ? ", begun " : "", i->date);
    write_maker(l, "system", &i->names->system, i->full);
    write_maker(l, "board", &i->names->board, i->full);
    if (*i->names->uuid)
        text_line(l, "uuid", "%s", i->names->uuid);
    for (size_t n = 0; n < i->n_macs; n++) {
        text_begin(l, n ? "" : "network");
        format_text_append_mac(&l->out, i->mac[n]);
        fmt_append(&l->out, "\n");
    }
}

static void write_kind(struct text_log *l, const struct event_cpu_kind *k)
{
    bool all = strcmp(k->kind, "all") == 0;

    text_begin(l, "cpus");
    format_text_append_list(&l->out, k->cpus, k->n_cpus);
    fmt_append(&l->out, "%s%s, %u thread%s per core", all ? "" : ": ", all ? "" : k->kind,
               k->threads_per_core, fmt_plural(k->threads_per_core));
    if (k->microcode)
        fmt_append(&l->out, ", microcode 0x%lx", k->microcode);
    if (k->speed_percent)
        fmt_append(&l->out, ", speed %u %%", k->speed_percent);
    fmt_append(&l->out, "\n");
}

static void write_repair(struct text_log *l, unsigned repair)
{
    const char *name[MEMORY_REPAIRS];
    size_t n = memory_repair_names(repair, name);

    text_begin(l, "repair");
    for (size_t i = 0; i < n; i++)
        fmt_append(&l->out, "%s%s", i ? ", " : "", name[i]);
    fmt_append(&l->out,
               ": no test sees a fault that this repairs; see docs/coverage.md, Mirroring\n");
}

void text_machine(struct text_log *l, const struct event_machine *m)
{
    text_line(l, "cpu", "%s", m->cpu);
    text_line(l, "machine", "%u CPU%s on %u node%s, TSC %.3f GHz, line operations %s", m->cpus,
              fmt_plural(m->cpus), m->nodes, fmt_plural(m->nodes), (double)m->tsc_hz / 1e9, m->isa);
    for (size_t i = 0; i < m->n_kinds; i++)
        write_kind(l, &m->kinds[i]);
    text_begin(l, "memory");
    fmt_append(&l->out, "%s of RAM, %s to test, installed: %s", FMT_SIZE(m->ram_bytes),
               FMT_SIZE(m->testable_bytes),
               m->installed_bytes ? FMT_SIZE(m->installed_bytes) : "not reported by the firmware");
    if (m->ecc.state != MEMORY_ECC_UNKNOWN)
        fmt_append(&l->out, ", %s", memory_ecc_phrase(m->ecc.state));
    fmt_append(&l->out, "\n");
    if (m->repair)
        write_repair(l, m->repair);
    if (m->side_cache.bytes)
        text_line(l, "side cache",
                  "%s in front of memory: row hammer may not get through it, nor what a test soon "
                  "does again to a line; see docs/coverage.md, Memory-side caches",
                  FMT_SIZE(m->side_cache.bytes));
    if (m->specific_bytes)
        text_line(l, "", "%s of it is specific-purpose memory (CXL, high bandwidth): tested, too",
                  FMT_SIZE(m->specific_bytes));
    for (size_t i = l->n_warnings; i < m->n_warnings; i++)
        text_line(l, "warning", "%s", m->warnings[i]);
}

/* "speed      CPUs 0-3 100 %, 4-7 52 %", of the fastest CPU's. */
static void write_speeds(struct text_log *l, const struct event_node *n)
{
    text_begin(l, "speed");
    fmt_append(&l->out, "CPUs");
    for (size_t i = 0, end; i < n->n_cpus; i = end) {
        for (end = i + 1; end < n->n_cpus && n->speed_percent[end] == n->speed_percent[i];)
            end++;
        fmt_append(&l->out, "%s %u", i ? "," : "", n->cpus[i]);
        if (end > i + 1)
            fmt_append(&l->out, "-%u", n->cpus[end - 1]);
        fmt_append(&l->out, " %u %%", n->speed_percent[i]);
    }
    fmt_append(&l->out, "\n");
}

/* Not all as the fastest, as far as is known. */
static bool has_slow_cpus(const struct event_node *n)
{
    for (size_t i = 0; n->speed_percent && i < n->n_cpus; i++) {
        if (n->speed_percent[i] && n->speed_percent[i] < 100)
            return true;
    }
    return false;
}

void text_node(struct text_log *l, const struct event_node *n)
{
    fmt_append(&l->out, TEXT_TIME "node %-5u CPUs ", l->t, n->node);
    format_text_append_list(&l->out, n->cpus, n->n_cpus);
    fmt_append(&l->out, "; %s in %zu span%s\n", FMT_SIZE(n->ram_bytes), n->n_spans,
               fmt_plural(n->n_spans));
    for (size_t i = 0; i < n->n_spans; i++) {
        text_begin(l, "");
        text_put_span(l, n->spans[i]);
        fmt_append(&l->out, "\n");
    }
    if (has_slow_cpus(n))
        write_speeds(l, n);
}

void text_module(struct text_log *l, const struct event_module *e)
{
    for (unsigned line = 0; line < MODULE_LINES; line++) {
        char text[192];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        module_append_line(&b, &e->modules->module[e->index], line);
        if (text[0])
            text_line(l, line ? "" : "module", "%s", text);
    }
}

void text_controller(struct text_log *l, const struct event_controller *c)
{
    const struct decoded_controller *d = c->decoded;

    text_line(l, "controller", "%s%s%s", d->family ? d->family : "not known",
              d->unknown ? ": the module of an address is not known: " : "",
              d->unknown ? d->unknown : "");
    for (unsigned i = 0; i < d->n_channels; i++) {
        text_begin(l, "");
        decoded_append_channel(&l->out, d, i);
        fmt_append(&l->out, "\n");
    }
}

void text_temperature(struct text_log *l, const struct event_temperature *t)
{
    static const char *const when[][2] = {
        { "start", "at the start" }, { "fault", "at the first faults" }, { "hot", "hot enough" },
        { "sample", "now" },         { "resume", "traffic goes on" },    { "end", "at the end" },
    };
    char text[320];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    const char *label = t->text; /* of a pause */

    for (size_t i = 0; i < sizeof(when) / sizeof(when[0]); i++) {
        if (strcmp(t->when, when[i][0]) == 0)
            label = when[i][1];
    }
    temperatures_append(&b, t->cpu, t->modules);
    if (t->text[0] && label != t->text)
        fmt_append(&b, "; %s", t->text);
    if (t->pauses && strcmp(t->when, "end") == 0)
        fmt_append(&b, "; %u pause%s to cool down, %.0f s in all", t->pauses, fmt_plural(t->pauses),
                   t->paused_seconds);
    text_line(l, "thermal", "%s: %s", label, text);
}

void text_support(struct text_log *l, const struct support *s)
{
    struct support_line line;
    size_t n = support_lines(s);

    for (size_t i = 0; i < n; i++) {
        support_line(s, i, &line);
        text_line(l, line.is_heading ? "support" : "", "%s%s", line.text,
                  line.is_heading ? ":" : "");
    }
}
