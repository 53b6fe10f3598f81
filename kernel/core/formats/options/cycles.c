// SPDX-License-Identifier: MIT
#include "options/cycles.h"

#include "lib/confidence.h"
#include "lib/crc32c.h"
#include "lib/string.h"
#include "options/words.h"

#define MB UINT64_C(1000000)

/* The numbers of a word, in order; what is behind them is their checksum. */
#define FIELDS 11u

#define COLD "/cold" /* behind all else */

static void list_fields(const struct cycles *c, uint64_t ret_field[FIELDS])
{
    const uint64_t field[FIELDS] = { c->wanted, c->starts,  c->with_errors, c->lost,
                                     c->late,   c->dropped, c->id,          c->memory,
                                     c->asked,  c->errors,  c->moved_mb };

    memcpy(ret_field, field, sizeof(field));
}

static struct cycles of_fields(const uint64_t f[FIELDS])
{
    return (struct cycles){ (uint32_t)f[0], (uint32_t)f[1], (uint32_t)f[2], (uint32_t)f[3],
                            (uint32_t)f[4], (uint32_t)f[5], (uint32_t)f[6], (uint32_t)f[7],
                            f[8],           f[9],           f[10],          false,
                            false };
}

static uint32_t checksum(const uint64_t field[FIELDS])
{
    return ~crc32c_by_nibbles(~0u, field, FIELDS * sizeof(field[0])) & 0xfffff;
}

void cycles_append(struct fmt_buffer *out, const struct cycles *c)
{
    uint64_t field[FIELDS];

    list_fields(c, field);
    fmt_append(out, "%llu", (unsigned long long)field[0]);
    for (unsigned i = 1; i < FIELDS; i++)
        fmt_append(out, "-%llx", (unsigned long long)field[i]);
    fmt_append(out, "-%x%s", checksum(field), c->cold ? COLD : "");
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

bool cycles_append_others(struct fmt_buffer *out, const char *cmdline)
{
    struct word word;

    while (word_next(&cmdline, &word)) {
        if (begins(word.text, "cycles=") || word_is_path(word.text))
            continue;
        if (word.too_long || (strchr(word.text, ' ') && !begins(word.text, "march=")))
            return false;
        for (const char *c = word.text; *c; c++) {
            if (*c != ' ')
                fmt_append(out, "%c", *c);
        }
        fmt_append(out, " ");
    }
    return true;
}

static bool read_digits(const char **text, unsigned base, uint64_t *ret_value)
{
    const char *at = *text;
    uint64_t value = 0;

    for (; (*at >= '0' && *at <= '9') || (base == 16 && *at >= 'a' && *at <= 'f'); at++) {
        if (value >> 60)
            return false;
        value = value * base + (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
    }
    *ret_value = value;
    return at != *text && ((*text = at), true);
}

static bool is_sane(const struct cycles *c)
{
    return c->wanted && c->wanted <= CYCLES_MAX && c->with_errors <= c->starts &&
           c->starts <= c->wanted && c->lost <= c->wanted - c->starts &&
           c->dropped <= UINT32_MAX / 2 && c->moved_mb <= UINT64_MAX / MB;
}

bool cycles_read(const char *text, struct cycles *ret_cycles)
{
    uint64_t field[FIELDS] = { 0 }, crc = 0;
    struct cycles c;
    unsigned n = 0;
    bool is_cold;

    do {
        if (!read_digits(&text, n ? 16 : 10, n < FIELDS ? &field[n] : &crc))
            return false;
        if (n && n < 8 && field[n] > UINT32_MAX)
            return false;
        n++;
    } while (n <= FIELDS && *text == '-' && *text++);
    is_cold = strcmp(text, COLD) == 0;
    if ((*text && !is_cold) || field[0] > CYCLES_MAX)
        return false;
    if (n != 1 && (n != FIELDS + 1 || crc != checksum(field)))
        return false;
    c = of_fields(field);
    c.cold = is_cold;
    if (n > 1 && !is_sane(&c))
        return false;
    *ret_cycles = c;
    return true;
}

uint32_t cycles_all(const struct cycles *c)
{
    return c->starts + c->lost + c->dropped;
}

uint32_t cycles_left(const struct cycles *c)
{
    return c->wanted - c->starts - c->lost;
}

bool cycles_follow(const struct cycles *c)
{
    return c->wanted && c->id && cycles_left(c);
}

bool cycles_begin(struct cycles *c, uint32_t memory, uint64_t now)
{
    bool is_other = c->memory && c->memory != memory;

    c->late += c->asked && now && (now < c->asked || now - c->asked > CYCLES_LATE_S);
    if (is_other)
        *c = (struct cycles){
            .wanted = c->wanted, .id = c->id, .dropped = cycles_all(c), .cold = c->cold
        };
    c->memory = memory;
    return !is_other;
}

void cycles_ran(struct cycles *c, struct cycles_result result, uint64_t now)
{
    c->starts++;
    c->has_errors = result.errors || result.cpu_failed;
    c->with_errors += c->has_errors;
    c->errors += result.errors;
    c->moved_mb += result.moved_bytes / MB;
    c->asked = now;
}

void cycles_lose(struct cycles *c, uint64_t now)
{
    c->lost++;
    c->asked = now;
}

struct error_rate cycles_rate(const struct cycles *c)
{
    return error_rate_make(c->errors, c->moved_mb * MB, (double)__builtin_nanf(""));
}

/* A limit is one-sided where no start has errors, or all have. */
static void append_part(struct fmt_buffer *out, const struct cycles *c)
{
    struct confidence part = confidence_part(c->with_errors, c->starts);

    if (!c->with_errors)
        fmt_append(out, "at most %.1f %%", 100 * part.high);
    else if (c->with_errors == c->starts)
        fmt_append(out, "at least %.1f %%", 100 * part.low);
    else
        fmt_append(out, "%.1f %% to %.1f %%", 100 * part.low, 100 * part.high);
}

void cycles_append_result(struct fmt_buffer *out, const struct cycles *c)
{
    fmt_append(out, "errors in %u of %u %sstart%s", c->with_errors, c->starts,
               c->cold ? "cold " : "", fmt_plural(c->starts));
    if (c->starts) {
        fmt_append(out, " (");
        append_part(out, c);
        fmt_append(out, " of all starts)");
    }
    if (cycles_left(c))
        fmt_append(out, ", %u wanted", c->wanted);
    if (c->lost)
        fmt_append(out, "; %u start%s gave no result", c->lost, fmt_plural(c->lost));
    if (c->late)
        fmt_append(out, "; %u came late or not by itself", c->late);
    if (c->dropped)
        fmt_append(out, "; %u before, with other memory, do%s not count", c->dropped,
                   c->dropped == 1 ? "es" : "");
}
