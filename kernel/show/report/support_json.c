// SPDX-License-Identifier: MIT
#include "report/support_json.h"

#include "firmware/memory_map.h"
#include "lib/minmax.h"

static void write_firmware(struct json *j, const struct support *s)
{
    json_object(j, "firmware");
    json_text(j, "vendor", s->names.firmware.vendor);
    json_text(j, "version", s->names.firmware.version);
    json_text(j, "date", s->names.firmware.date);
    json_close(j, "}");
}

static void write_maker(struct json *j, const char *name, const struct smbios_maker *m)
{
    json_object(j, name);
    json_text(j, "maker", m->maker);
    json_text(j, "product", m->product);
    json_text(j, "version", m->version);
    json_close(j, "}");
}

static void write_map(struct json *j, const struct support *s)
{
    json_array(j, "map");
    for (size_t i = 0; i < s->n_regions; i++) {
        const struct boot_region *r = &s->region[i];

        json_element(j);
        json_hex(j, "base", r->base);
        json_integer(j, "bytes", r->size);
        json_integer(j, "type", r->firmware_type);
        json_text(j, "kind", memory_kind_word(r->kind));
        json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_tables(struct json *j, const struct support *s)
{
    json_array(j, "tables");
    for (size_t i = 0; i < min_u64(s->n_tables, SUPPORT_TABLES_MAX); i++) {
        const struct support_table *t = &s->table[i];

        json_element(j);
        json_text(j, "signature", t->signature);
        json_hex(j, "addr", t->address);
        json_integer(j, "bytes", t->bytes);
        json_integer(j, "revision", t->revision);
        json_text(j, "oem_id", t->oem_id);
        json_text(j, "oem_table_id", t->oem_table_id);
        json_integer(j, "oem_revision", t->oem_revision);
        json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_facts(struct json *j, const char *name, const struct support_facts *facts)
{
    json_array(j, name);
    for (size_t i = 0; i < facts->n; i++) {
        json_element(j);
        json_text(j, "name", facts->fact[i].name);
        json_text(j, "value", facts->fact[i].value);
        json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_framebuffer(struct json *j, const struct boot_framebuffer *f)
{
    if (!f) {
        json_null(j, "framebuffer");
        return;
    }
    json_object(j, "framebuffer");
    json_hex(j, "addr", f->base);
    json_integer(j, "width", f->width);
    json_integer(j, "height", f->height);
    json_integer(j, "pitch_bytes", f->pitch);
    json_integer(j, "bits", f->bits_per_pixel);
    json_hex(j, "red", f->red_mask);
    json_hex(j, "green", f->green_mask);
    json_hex(j, "blue", f->blue_mask);
    json_close(j, "}");
}

static void write_steps(struct json *j, const struct support *s)
{
    json_number(j, "entry_seconds", s->entry_seconds, 6);
    json_array(j, "steps");
    for (size_t i = 0; i < s->n_steps; i++) {
        json_element(j);
        json_text(j, "name", s->step[i].name);
        json_number(j, "seconds", s->step[i].seconds, 6);
        json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_spd(struct json *j, const struct module_spd *spd)
{
    json_element(j);
    json_hex(j, "address", spd->address);
    json_name(j, "bytes");
    fmt_append(j->out, "\"");
    for (size_t i = 0; i < spd->n_bytes; i++)
        fmt_append(j->out, "%02x", spd->byte[i]);
    fmt_append(j->out, "\"");
    json_close(j, "}");
}

static void write_spds(struct json *j, const struct modules *modules)
{
    json_array(j, "spd");
    for (size_t i = 0; modules && i < modules->n; i++) {
        if (modules->module[i].spd)
            write_spd(j, modules->module[i].spd);
    }
    json_close(j, "]");
}

void support_json_write(struct json *j, const struct support *s)
{
    write_firmware(j, s);
    write_maker(j, "system", &s->names.system);
    write_maker(j, "board", &s->names.board);
    write_map(j, s);
    write_tables(j, s);
    write_facts(j, "cpu", &s->cpu);
    write_facts(j, "ports", &s->ports);
    write_spds(j, s->modules);
    write_framebuffer(j, s->framebuffer);
    write_steps(j, s);
}
