// SPDX-License-Identifier: MIT
#include "findings/findings.h"

#include "findings/findings_text.h"
#include "lib/string.h"

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

void findings_static(const struct findings_input *in, const struct warnings *warnings)
{
    findings_slots(in, warnings);
    warn_of_ecc(in, warnings);
    findings_nodes(in, warnings);
}

void findings_measured(const struct findings_input *in, const struct warnings *warnings)
{
    findings_speeds(in, warnings);
    if (in->hmat)
        findings_hmat(in, warnings);
}

static void begin(struct findings_text *text, uint64_t bytes)
{
    findings_begin(text);
    fmt_append(&text->buffer, "MTRRs: %s", FMT_SIZE(bytes));
}

static void append_first(struct findings_text *text, struct span first)
{
    fmt_append(&text->buffer, "0x%lx-0x%lx", (unsigned long)first.base,
               (unsigned long)(span_end(first) - 1));
}

void findings_not_write_back(const struct findings_type *t, const struct warnings *warnings)
{
    struct findings_text text;

    if (!t->bytes)
        return;
    begin(&text, t->bytes);
    fmt_append(&text.buffer, " of RAM is not write-back, ");
    append_first(&text, t->first);
    fmt_append(&text.buffer, " is %s", t->type);
    if (t->mb_s > 0 && t->usual_mb_s > 0)
        fmt_append(&text.buffer, ": swept at %.0f MB/s, other RAM at %.0f MB/s", t->mb_s,
                   t->usual_mb_s);
    fmt_append(&text.buffer, "; operating systems are slow there or leave it out: a BIOS update "
                             "may help");
    findings_say(&text, warnings);
}

void findings_unequal_types(const struct findings_unequal_type *t, const struct warnings *warnings)
{
    struct findings_text text;

    if (!t->bytes)
        return;
    begin(&text, t->bytes);
    fmt_append(&text.buffer,
               " of RAM has different types for %u CPU%s than for the boot CPU: ", t->n_cpus,
               fmt_plural(t->n_cpus));
    append_first(&text, t->first);
    fmt_append(&text.buffer, " is %s for cpu %u", t->type, t->cpu);
    if (t->mb_s > 0)
        fmt_append(&text.buffer, " (swept at %.0f MB/s)", t->mb_s);
    fmt_append(&text.buffer, ", %s for cpu 0", t->boot_type);
    if (t->boot_mb_s > 0)
        fmt_append(&text.buffer, " (%.0f MB/s)", t->boot_mb_s);
    fmt_append(&text.buffer, "; CPUs may read stale data there: a BIOS update may help");
    findings_say(&text, warnings);
}
