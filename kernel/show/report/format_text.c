// SPDX-License-Identifier: MIT
#include "report/format_text.h"

#include "external/low_memory.h"
#include "lib/bits.h"
#include "log/ecc_count.h"

#define BITS_NAMED_MAX 8

void format_text_append_duration(struct fmt_buffer *b, double seconds)
{
    /* A time left may be unknown or beyond all sense: shown as the largest that reads well. */
    uint64_t s = seconds >= 0 && seconds < 3.6e9 ? (uint64_t)seconds : seconds < 0 ? 0 : 3599999999;

    fmt_append(b, "%lu:%02u:%02u", (unsigned long)(s / 3600), (unsigned)(s / 60 % 60),
               (unsigned)(s % 60));
}

void format_text_append_list(struct fmt_buffer *b, const uint32_t *numbers, size_t n)
{
    size_t run;

    if (!n)
        fmt_append(b, "none");
    for (size_t i = 0; i < n; i += run) {
        for (run = 1; i + run < n && numbers[i + run] == numbers[i] + run;)
            run++;
        fmt_append(b, "%s%u", i ? "," : "", numbers[i]);
        if (run > 1)
            fmt_append(b, "-%u", numbers[i + run - 1]);
    }
}

void format_text_append_mac(struct fmt_buffer *b, const uint8_t mac[IDENTITY_MAC_BYTES])
{
    for (size_t i = 0; i < IDENTITY_MAC_BYTES; i++)
        fmt_append(b, "%s%02x", i ? ":" : "", mac[i]);
}

void format_text_append_bits(struct fmt_buffer *b, uint64_t bits)
{
    unsigned count = bits_count(bits);
    const char *comma = "";

    if (!bits)
        fmt_append(b, "none");
    else if (count > BITS_NAMED_MAX)
        fmt_append(b, "%u of 64", count);
    else
        for (unsigned i = 0; i < 64; i++) {
            if (bits >> i & 1) {
                fmt_append(b, "%s%u", comma, i);
                comma = ",";
            }
        }
}

void format_text_append_failing_bits(struct fmt_buffer *b, uint64_t bits, bool is_encrypted)
{
    if (is_encrypted)
        fmt_append(b, "not shown, memory is encrypted");
    else
        format_text_append_bits(b, bits);
}

/* "0x5000", or "0x5000-0x7fff"; "pages of 0x5000-0x7fff": not all of them. */
static void append_pages(struct fmt_buffer *b, struct span s, uint64_t pages)
{
    if (pages << PAGE_SHIFT < s.size)
        fmt_append(b, "pages of ");
    fmt_append(b, "0x%lx", s.base);
    if (s.size > PAGE_SIZE)
        fmt_append(b, "-0x%lx", span_end(s) - 1);
}

static void append_example(struct fmt_buffer *b, const struct alias *alias)
{
    fmt_append(b, " (%lu page%s, such as 0x%lx and 0x%lx): ", alias->pages,
               fmt_plural(alias->pages), alias->addr, alias->partner);
}

void format_text_append_alias(struct fmt_buffer *b, const struct alias *alias)
{
    bool one = alias->pages == 1;
    bool some = alias->pages << PAGE_SHIFT < alias->upper.size;

    if (!alias->various && !alias->address_bits) {
        append_pages(b, alias->upper, alias->pages);
        fmt_append(b, ": lines within a page alias each other");
        append_example(b, alias);
        fmt_append(b, "%s excluded", one ? "it is" : "they are");
        return;
    }
    if (one)
        fmt_append(b, "page ");
    append_pages(b, alias->upper, alias->pages);
    fmt_append(b, some ? " alias " : " aliases ");
    append_pages(b, alias->lower, alias->pages);
    if (alias->various)
        append_example(b, alias);
    else if (one)
        fmt_append(b, ": ");
    else
        fmt_append(b, " (%lu pages, address bits 0x%lx): ", alias->pages, alias->address_bits);
    fmt_append(b, "%s excluded", alias->both ? "both are" : "the upper copy is");
}

void format_text_append_tests(struct fmt_buffer *b, const char *const *names, size_t n)
{
    if (!n) {
        fmt_append(b, "no test was completed");
        return;
    }
    fmt_append(b, "no fault in the test%s that ended (", fmt_plural(n));
    for (size_t i = 0; i < n; i++)
        fmt_append(b, "%s%s", i ? ", " : "", names[i]);
    fmt_append(b, ")");
}

const char format_text_no_page[] =
    "no line can be made: the hardware did not say which page the errors were in";

void format_text_append_fail(struct fmt_buffer *b, const struct event_result *r, const char *bits)
{
    fmt_append(b, "FAIL: ");
    if (!r->faults && r->ecc.with_page) {
        ecc_append_errors(r->ecc.corrected, r->ecc.uncorrected, r->ecc.with_page, r->bad_pages, b);
        return;
    }
    fmt_append(b, "%lu bad page%s", r->bad_pages, fmt_plural(r->bad_pages));
    if (!r->faults)
        return;
    fmt_append(b, ", %lu fault%s, %s", r->faults, fmt_plural(r->faults), bits);
    format_text_append_failing_bits(b, r->failing_bits, r->is_encrypted);
}

void format_text_append_corrected(struct fmt_buffer *b, const struct event_result *r)
{
    fmt_append(b, "ERRORS CORRECTED: ");
    ecc_append_errors(r->ecc.corrected, 0, 0, 0, b);
    fmt_append(b, ", no other fault");
}

void format_text_append_uncorrected(struct fmt_buffer *b, const struct event_result *r)
{
    fmt_append(b, "FAIL: %lu uncorrected error%s of memory, whose page%s not known",
               r->ecc.uncorrected, fmt_plural(r->ecc.uncorrected),
               r->ecc.uncorrected == 1 ? " is" : "s are");
}

void format_text_append_retest(struct fmt_buffer *b, const struct event_retest *r)
{
    if (!r->tries)
        fmt_append(b, "not tested again");
    else if (!r->failed)
        fmt_append(b, "not again in %u time%s", r->tries, fmt_plural(r->tries));
    else if (r->failed == r->tries)
        fmt_append(b, "always (%u of %u time%s)", r->failed, r->tries, fmt_plural(r->tries));
    else
        fmt_append(b, "%u of %u times", r->failed, r->tries);
}

/* ": that at SMBus address 0x51", or of those at which it may be. */
static void append_addresses(struct fmt_buffer *b, const struct unseen *u)
{
    bool all = u->modules == u->n_at;

    if (!u->n_at)
        return;
    fmt_append(b, u->n_at == 1 ? ": that at SMBus address"
                  : all        ? ": those at SMBus addresses"
                               : ", of those at SMBus addresses");
    for (size_t i = 0; i < u->n_at; i++)
        fmt_append(b, "%s 0x%x", i == 0 ? "" : i + 1 == u->n_at ? " and" : ",", u->at[i]);
}

void format_text_append_unseen(struct fmt_buffer *b, const struct unseen *unseen)
{
    if (!unseen->modules) {
        fmt_append(b, "%s of the %s that the modules have is missing",
                   FMT_SIZE(unseen->missing_bytes), FMT_SIZE(unseen->installed_bytes));
        return;
    }
    fmt_append(b, "%s%u of %u module%s %s not seen", unseen->at_least ? "at least " : "",
               unseen->modules, unseen->of, fmt_plural(unseen->of),
               unseen->modules == 1 ? "is" : "are");
    append_addresses(b, unseen);
    if (unseen->may_be_mirrored)
        fmt_append(b, ", or memory is mirrored");
}

void format_text_append_hidden(struct fmt_buffer *b, uint64_t pages)
{
    fmt_append(b, "%lu page%s hidden before okram started: keep the old line", pages,
               pages == 1 ? " was" : "s were");
}

void format_text_append_reads(struct fmt_buffer *b, const struct excluded *e)
{
    fmt_append(b,
               "each cell was read %lu times in completed tests: a fault that shows in more than 1 "
               "of %lu read%s would have been seen (95 %%, for each cell)",
               e->reads, e->one_in, fmt_plural(e->one_in));
}

static double round_up(double value, double unit)
{
    uint64_t units = (uint64_t)(value / unit);

    return (double)(units + ((double)units * unit < value)) * unit;
}

void format_text_append_rate(struct fmt_buffer *b, const struct excluded *e)
{
    int decimals = e->per_hour >= 10 ? 0 : e->per_hour >= 1 ? 1 : 2;
    double unit = decimals == 0 ? 1 : decimals == 1 ? 0.1 : 0.01;

    fmt_append(b, "errors at random times are rarer than %.*f an hour (95 %%)", decimals,
               round_up(e->per_hour, unit));
}

double format_text_part_of_pass(const struct event_progress *p)
{
    const double s = p->pass_seconds + p->pass_seconds_left;

    if (p->pass_seconds_left < 0)
        return 0;
    if (s > 0)
        return p->pass_seconds / s;
    return p->pass_total_bytes ? (double)p->pass_done_bytes / (double)p->pass_total_bytes : 0;
}

unsigned format_text_percent(double part)
{
    return !(part > 0) ? 0 : part >= 1 ? 100 : (unsigned)(part * 100);
}

const char *format_text_external(uint64_t addr)
{
    return addr < LOW_MEMORY_END ? "firmware may write here" : "written by a device or by firmware";
}

#define USUAL_BAUD     115200
#define BITS_OF_A_BYTE 10.0 /* 8N1 */
#define SHARE          0.05
/* What the first lines of a run may take, before a share of the time amounts to anything. */
#define GRACE_SECONDS 2.0

bool rate_limit_allows(struct rate_limit *p, double t, size_t n)
{
    double cost = (double)n * BITS_OF_A_BYTE / (p->baud ? p->baud : USUAL_BAUD);

    if (!p->ask && p->spent_seconds + cost > GRACE_SECONDS + SHARE * t)
        return false;
    p->ask = false;
    p->spent_seconds += cost;
    return true;
}
