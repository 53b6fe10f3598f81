// SPDX-License-Identifier: MIT
#include "state.h"

#include "boot/guard/memory.h"
#include "boot/uefi/sign_key.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "options/number.h"
#include "saved/json_line.h"
#include "sign/secret.h"

static bool is_signed(const struct guard_list *list)
{
    uint8_t key[SIGN_KEY_BYTES];
    bool is = sign_key_read(key) && guard_list_is_signed(list, key);

    secret_wipe(key, sizeof(key));
    return is;
}

static void read_list(const char *name, struct state_list *l)
{
    l->variable = variable_read(name, &variable_okram);
    l->why = NULL;
    l->is_valid = false;
    if (l->variable.bytes)
        l->is_valid =
            guard_list_open(l->variable.bytes, l->variable.size, &l->list, &l->why) == STATUS_OK;
    else if (l->variable.status != EFI_NOT_FOUND)
        l->why = "firmware cannot read it";
    l->is_signed = l->is_valid && is_signed(&l->list);
}

static uint64_t number(const char *line, const char *key)
{
    char digits[24];
    uint64_t n;

    return json_line_value(line, key, digits, sizeof(digits)) &&
                   number_parse(digits, 0, UINT64_MAX, &n)
               ? n
               : 0;
}

static void read_pages(struct install_state *s, const char *line)
{
    uint64_t pages = number(line, "pages"), outside = number(line, "outside");
    bool is_here = strcmp(s->what, "masked") == 0 || strcmp(s->what, "stopped") == 0;

    s->pages.masked = number(line, "masked");
    s->pages.kept = number(line, "kept");
    s->pages.reserved = number(line, "reserved");
    s->pages.listed = max_u64(s->pages.masked, is_here && pages > outside ? pages - outside : 0);
}

static void read_status(struct install_state *s)
{
    struct variable v = variable_read("OkramGuardStatus", &variable_okram);
    const char *line = (const char *)v.bytes;

    if (line && json_line_value(line, "state", s->what, sizeof(s->what))) {
        s->has_started = true;
        if (!json_line_value(line, "why", s->why, sizeof(s->why)) || strcmp(s->why, "null") == 0)
            s->why[0] = 0;
        read_pages(s, line);
    }
    variable_free(&v);
}

static void read_backup(struct install_state *s)
{
    struct variable v = variable_read(BACKUP_NAME, &variable_okram);

    if (v.bytes)
        s->has_backup = backup_read((const char *)v.bytes, &s->backup, &s->backup_why);
    if (s->has_backup || !v.bytes)
        s->backup_why = NULL;
    variable_free(&v);
}

/* This machine as firmware describes it now. */
static void read_here(struct install_state *s)
{
    struct guard_memory memory;

    s->has_here = !EFI_ERROR(guard_memory_read(&memory));
    if (!s->has_here)
        return;
    guard_memory_machine(&memory, &s->here);
    guard_memory_free(&memory);
}

void install_state_read(struct install_state *ret_state)
{
    struct install_state *s = ret_state;

    memset(s, 0, sizeof(*s));
    read_list("OkramGuard", &s->installed);
    read_list("OkramGuardNew", &s->found);
    read_here(s);
    read_status(s);
    read_backup(s);
}

void install_state_free(struct install_state *state)
{
    variable_free(&state->installed.variable);
    variable_free(&state->found.variable);
}
