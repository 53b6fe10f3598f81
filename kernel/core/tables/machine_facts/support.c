// SPDX-License-Identifier: MIT
#include "machine_facts/support.h"

#include <stdarg.h>
#include <stdint.h>

#include "firmware/memory_map.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"

void support_add(struct support_facts *facts, const char *name, const char *format, ...)
{
    struct support_fact *f = &facts->fact[facts->n];
    va_list args;

    if (facts->n == SUPPORT_FACTS_MAX)
        return;
    facts->n++;
    string_copy(f->name, name, sizeof(f->name));
    va_start(args, format);
    fmt_vprint(f->value, sizeof(f->value), format, args);
    va_end(args);
}

void support_copy_id(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    while (n && (to[n - 1] == ' ' || !from[n - 1]))
        n--;
    to[n] = 0;
}

#define SPD_BYTES_A_LINE 32u

/* Goes over all lines, and keeps one. */
struct walk {
    size_t wanted, n;
    struct support_line *line;
};

static void put(struct walk *w, bool is_heading, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void put(struct walk *w, bool is_heading, const char *format, ...)
{
    va_list args;

    if (w->n++ != w->wanted)
        return;
    w->line->is_heading = is_heading;
    va_start(args, format);
    fmt_vprint(w->line->text, sizeof(w->line->text), format, args);
    va_end(args);
}

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

static void walk_maker(struct walk *w, const char *what, const struct smbios_maker *m)
{
    if (m->maker[0] || m->product[0])
        put(w, false, "%-12s%s, %s, version %s", what, or_dash(m->maker), or_dash(m->product),
            or_dash(m->version));
    else
        put(w, false, "%-12s-", what);
}

static void walk_framebuffer(struct walk *w, const struct support *s)
{
    const struct boot_framebuffer *f = s->framebuffer;

    if (!f) {
        put(w, false, "%-12s%s", "screen", s->has_vga_text ? "VGA text, 80x25" : "none");
        return;
    }
    put(w, false, "%-12s%ux%u, %u bytes a row, %u bits a pixel, at 0x%lx", "screen", f->width,
        f->height, f->pitch, f->bits_per_pixel, (unsigned long)f->base);
    put(w, false, "%-12sred %06x, green %06x, blue %06x", "", f->red_mask, f->green_mask,
        f->blue_mask);
}

static void walk_firmware(struct walk *w, const struct support *s)
{
    const struct smbios_names *n = &s->names;

    put(w, true, "Firmware");
    put(w, false, "%-12s%s", s->is_uefi ? "UEFI" : "BIOS", or_dash(n->firmware.vendor));
    put(w, false, "%-12sversion %s, of %s", "", or_dash(n->firmware.version),
        or_dash(n->firmware.date));
    walk_maker(w, "system", &n->system);
    walk_maker(w, "board", &n->board);
    put(w, false, "%-12s%u.%u", "SMBIOS", n->major, n->minor);
    walk_framebuffer(w, s);
}

static void walk_facts(struct walk *w, const char *title, const struct support_facts *facts)
{
    put(w, true, "%s", title);
    for (size_t i = 0; i < facts->n; i++)
        put(w, false, "%-12s%s", facts->fact[i].name, facts->fact[i].value);
}

static void walk_steps(struct walk *w, const struct support *s)
{
    put(w, true, "Start, in seconds since the reset (by the time stamp counter)");
    put(w, false, "%10.3f  okram's kernel begins", s->entry_seconds);
    for (size_t i = 0; i < s->n_steps; i++)
        put(w, false, "%10.3f  %s", s->entry_seconds + s->step[i].seconds, s->step[i].name);
}

static void put_region(struct walk *w, const struct boot_region *r)
{
    put(w, false, "0x%012lx-0x%012lx %9s  type %-3u %s", (unsigned long)r->base,
        (unsigned long)(r->base + r->size), FMT_SIZE(r->size), r->firmware_type,
        memory_kind_word(r->kind));
}

/* There may be thousands: those before the line that is wanted, and after it, are only counted. */
static void walk_map(struct walk *w, const struct support *s)
{
    put(w, true, "Memory map, as given by firmware");
    if (w->wanted - w->n < s->n_regions) {
        size_t i = w->wanted - w->n;

        w->n = w->wanted;
        put_region(w, &s->region[i]);
        w->n += s->n_regions - i - 1;
    } else {
        w->n += s->n_regions;
    }
    if (s->regions_lost)
        put(w, false, "and %lu more, which are lost", (unsigned long)s->regions_lost);
}

static void walk_tables(struct walk *w, const struct support *s)
{
    size_t n = min_u64(s->n_tables, SUPPORT_TABLES_MAX);

    put(w, true, "ACPI tables");
    for (size_t i = 0; i < n; i++) {
        const struct support_table *t = &s->table[i];

        put(w, false, "%-4s 0x%012lx %8u bytes  revision %-3u  %-6s %-8s %8x", t->signature,
            (unsigned long)t->address, t->bytes, t->revision, t->oem_id, t->oem_table_id,
            t->oem_revision);
    }
    if (n < s->n_tables)
        put(w, false, "and %zu more", s->n_tables - n);
    if (!s->n_tables)
        put(w, false, "none");
}

/* 32 bytes a line, as they were read. */
static void walk_spd(struct walk *w, const struct module_spd *spd)
{
    for (size_t at = 0; at < spd->n_bytes; at += SPD_BYTES_A_LINE) {
        char text[2 * SPD_BYTES_A_LINE + 1];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        for (size_t i = at; i < at + SPD_BYTES_A_LINE && i < spd->n_bytes; i++)
            fmt_append(&b, "%02x", spd->byte[i]);
        put(w, false, "0x%02x %4zu  %s", spd->address, at, text);
    }
}

static void walk_modules(struct walk *w, const struct support *s)
{
    bool has_heading = false;

    for (size_t i = 0; s->modules && i < s->modules->n; i++) {
        if (!s->modules->module[i].spd)
            continue;
        if (!has_heading)
            put(w, true, "SPD of the memory modules, by SMBus address and byte");
        has_heading = true;
        walk_spd(w, s->modules->module[i].spd);
    }
}

static size_t walk(const struct support *s, size_t wanted, struct support_line *line)
{
    struct walk w = { .wanted = wanted, .line = line };

    walk_firmware(&w, s);
    walk_facts(&w, "CPU", &s->cpu);
    walk_facts(&w, "Ports", &s->ports);
    walk_steps(&w, s);
    walk_map(&w, s);
    walk_tables(&w, s);
    walk_modules(&w, s);
    return w.n;
}

size_t support_lines(const struct support *s)
{
    return walk(s, SIZE_MAX, NULL);
}

void support_line(const struct support *s, size_t i, struct support_line *ret_line)
{
    walk(s, i, ret_line);
}
