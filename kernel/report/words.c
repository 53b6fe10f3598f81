#include "report/words.h"

#include "lib/bits.h"

#define BITS_NAMED_MAX 8

void words_append_duration(struct fmt_buffer *b, double seconds)
{
    /* A time left may be unknown or beyond all sense: shown as the largest that reads well. */
    uint64_t s = seconds >= 0 && seconds < 3.6e9 ? (uint64_t)seconds : seconds < 0 ? 0 : 3599999999;

    fmt_append(b, "%lu:%02u:%02u", (unsigned long)(s / 3600), (unsigned)(s / 60 % 60),
               (unsigned)(s % 60));
}

void words_append_list(struct fmt_buffer *b, const uint32_t *numbers, size_t n)
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

void words_append_bits(struct fmt_buffer *b, uint64_t bits)
{
    unsigned count = bits_count(bits);
    const char *comma = "";

    if (!bits)
        fmt_append(b, "none");
    else if (count > BITS_NAMED_MAX)
        fmt_append(b, "%u bits", count);
    else
        for (unsigned i = 0; i < 64; i++) {
            if (bits >> i & 1) {
                fmt_append(b, "%s%u", comma, i);
                comma = ",";
            }
        }
}

unsigned words_percent(double part)
{
    return !(part > 0) ? 0 : part >= 1 ? 100 : (unsigned)(part * 100);
}

const char *words_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}
