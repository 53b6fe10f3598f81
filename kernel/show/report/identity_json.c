// SPDX-License-Identifier: MIT
#include "report/identity_json.h"

#include "report/format_text.h"

static void write_name(struct json *j, const char *field, const char *name)
{
    json_text(j, field, smbios_name_is_filler(name) ? NULL : name);
}

static void write_maker(struct json *j, const char *field, const struct smbios_maker *m,
                        bool has_serial)
{
    json_object(j, field);
    write_name(j, "maker", m->maker);
    write_name(j, "product", m->product);
    write_name(j, "version", m->version);
    if (has_serial)
        write_name(j, "serial", m->serial);
    json_close(j, "}");
}

static void write_macs(struct json *j, const struct event_identity *i)
{
    json_array(j, "macs");
    for (size_t n = 0; n < i->n_macs; n++) {
        json_comma(j);
        fmt_append(j->out, "\"");
        format_text_append_mac(j->out, i->mac[n]);
        fmt_append(j->out, "\"");
    }
    json_close(j, "]");
}

void identity_json_write(struct json *j, const struct event_identity *i)
{
    json_text(j, "run", i->run);
    json_text_if_any(j, "date", i->date);
    json_text_if_any(j, "uuid", i->names->uuid);
    write_maker(j, "system", &i->names->system, i->full);
    write_maker(j, "board", &i->names->board, i->full);
    if (i->full)
        write_macs(j, i);
}
