// SPDX-License-Identifier: MIT
#include "report/text_machine.h"

#include "firmware/memory_repair.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "machine_facts/support_lines.h"
#include "report/format_text.h"
#include "report/text_line.h"

#define CPU_LIST_MAX 4096 /* "0,2,4,…": over 800 CPUs with no two neighbours */

void text_start(const struct writer *out, double t, const struct event_start *s)
{
    text_begin(out, t);
    writer_text(out, "okram ");
    writer_text(out, s->version);
    writer_text(out, strcmp(s->boot, "uefi") == 0 ? ", started by UEFI, " : ", started by BIOS, ");
    writer_text(out, s->loader);
    writer_text(out, "\n");
    text_labelled(out, t, "options", *s->cmdline ? s->cmdline : "(none)");
}

static void write_kind(const struct writer *out, double t, const struct event_cpu_kind *k)
{
    char cpus[CPU_LIST_MAX];
    struct fmt_buffer b = fmt_buffer_make(cpus, sizeof(cpus));

    format_text_append_list(&b, k->cpus, k->n_cpus);
    text_begin_labelled(out, t, "cpus");
    writer_text(out, cpus);
    writer_print(out, "%s%s%s, %u thread%s per core", b.cut ? "..." : "",
                 strcmp(k->kind, "all") == 0 ? "" : ": ",
                 strcmp(k->kind, "all") == 0 ? "" : k->kind, k->threads_per_core,
                 fmt_plural(k->threads_per_core));
    if (k->microcode)
        writer_print(out, ", microcode 0x%lx", (unsigned long)k->microcode);
    if (k->speed_percent)
        writer_print(out, ", speed %u %%", k->speed_percent);
    writer_text(out, "\n");
}

static void write_repair(const struct writer *out, double t, unsigned repair)
{
    const char *name[MEMORY_REPAIRS];
    size_t n = memory_repair_names(repair, name);

    text_begin_labelled(out, t, "repair");
    for (size_t i = 0; i < n; i++) {
        writer_text(out, i ? ", " : "");
        writer_text(out, name[i]);
    }
    writer_text(out, ": no test sees a fault that this repairs; see docs/coverage.md, Mirroring\n");
}

void text_machine(const struct writer *out, double t, const struct event_machine *m,
                  size_t n_warned)
{
    text_labelled(out, t, "cpu", m->cpu);
    text_begin(out, t);
    writer_print(out, "machine    %u CPU%s on %u node%s, TSC %.3f GHz, line operations ", m->cpus,
                 fmt_plural(m->cpus), m->nodes, fmt_plural(m->nodes), (double)m->tsc_hz / 1e9);
    writer_text(out, m->isa);
    writer_text(out, "\n");
    for (size_t i = 0; i < m->n_kinds; i++)
        write_kind(out, t, &m->kinds[i]);
    text_begin(out, t);
    writer_text(out, "memory     ");
    text_put_size(out, m->ram_bytes);
    writer_text(out, " of RAM, ");
    text_put_size(out, m->testable_bytes);
    writer_text(out, " to test, installed: ");
    if (m->installed_bytes)
        text_put_size(out, m->installed_bytes);
    else
        writer_text(out, "not reported by the firmware");
    if (m->ecc.state != MEMORY_ECC_UNKNOWN) {
        writer_text(out, ", ");
        writer_text(out, memory_ecc_phrase(m->ecc.state));
    }
    writer_text(out, "\n");
    if (m->repair)
        write_repair(out, t, m->repair);
    if (m->specific_bytes) {
        text_begin(out, t);
        writer_text(out, "           ");
        text_put_size(out, m->specific_bytes);
        writer_text(out, " of it is specific-purpose memory (CXL, high bandwidth): tested, too\n");
    }
    for (size_t i = n_warned; i < m->n_warnings; i++)
        text_labelled(out, t, "warning", m->warnings[i]);
}

/* "speed      CPUs 0-3 100 %, 4-7 52 %", of the fastest CPU's. */
static void write_speeds(const struct writer *out, double t, const struct event_node *n)
{
    text_begin_labelled(out, t, "speed");
    writer_text(out, "CPUs");
    for (size_t i = 0, end; i < n->n_cpus; i = end) {
        for (end = i + 1; end < n->n_cpus && n->speed_percent[end] == n->speed_percent[i];)
            end++;
        writer_print(out, "%s %u", i ? "," : "", n->cpus[i]);
        if (end > i + 1)
            writer_print(out, "-%u", n->cpus[end - 1]);
        writer_print(out, " %u %%", n->speed_percent[i]);
    }
    writer_text(out, "\n");
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

void text_node(const struct writer *out, double t, const struct event_node *n)
{
    char cpus[CPU_LIST_MAX];
    struct fmt_buffer b = fmt_buffer_make(cpus, sizeof(cpus));

    format_text_append_list(&b, n->cpus, n->n_cpus);
    text_begin(out, t);
    writer_print(out, "node %-5u CPUs ", n->node);
    writer_text(out, cpus);
    writer_text(out, b.cut ? "...; " : "; ");
    text_put_size(out, n->ram_bytes);
    writer_print(out, " in %zu span%s\n", n->n_spans, fmt_plural(n->n_spans));
    for (size_t i = 0; i < n->n_spans; i++) {
        text_begin_labelled(out, t, "");
        text_put_span(out, n->spans[i]);
        writer_text(out, "\n");
    }
    if (has_slow_cpus(n))
        write_speeds(out, t, n);
}

void text_support(const struct writer *out, double t, const struct support *s)
{
    struct support_line line;
    size_t n = support_lines(s);

    for (size_t i = 0; i < n; i++) {
        support_line(s, i, &line);
        text_begin_labelled(out, t, line.is_heading ? "support" : "");
        writer_text(out, line.text);
        writer_text(out, line.is_heading ? ":\n" : "\n");
    }
}
