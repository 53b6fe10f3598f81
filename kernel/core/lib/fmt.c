// SPDX-License-Identifier: MIT
#include "lib/fmt.h"

#include <stdbool.h>
#include <stdint.h>

#include "lib/minmax.h"
#include "lib/string.h"

struct sink {
    char *out;
    size_t size;
    size_t length;
    struct writer to;
};

struct spec {
    bool left, zero;
    int width, precision; /* precision -1: not given */
};

static void put(struct sink *s, char c)
{
    if (s->to.write && s->length + 1 >= s->size) {
        s->to.write(s->to.ctx, s->out, s->length);
        s->length = 0;
    }
    if (s->length + 1 < s->size)
        s->out[s->length] = c;
    s->length++;
}

static void put_padded(struct sink *s, const struct spec *spec, const char *sign, const char *text,
                       size_t n)
{
    size_t used = n + strlen(sign);
    size_t pad = (size_t)spec->width > used ? (size_t)spec->width - used : 0;

    if (!spec->left && !spec->zero)
        for (; pad; pad--)
            put(s, ' ');
    while (*sign)
        put(s, *sign++);
    if (!spec->left)
        for (; pad; pad--)
            put(s, '0');
    for (size_t i = 0; i < n; i++)
        put(s, text[i]);
    for (; pad; pad--)
        put(s, ' ');
}

struct radix {
    unsigned base;
    const char *digit;
};

static const struct radix decimal = { 10, "0123456789" }, hex = { 16, "0123456789abcdef" },
                          upper_hex = { 16, "0123456789ABCDEF" };

/* Digits of x from the end of buf backwards; returns where they start. */
static char *digits(char *end, uint64_t x, const struct radix *radix)
{
    do {
        *--end = radix->digit[x % radix->base];
        x /= radix->base;
    } while (x);
    return end;
}

static void put_double(struct sink *s, const struct spec *spec, double x)
{
    char buf[40], *end = buf + sizeof(buf), *p = end;
    int decimals = spec->precision < 0 ? 6 : spec->precision > 9 ? 9 : spec->precision;
    const char *sign = "";
    uint64_t scale = 1, whole, part;

    if (x != x || x > 1e15 || x < -1e15) {
        put_padded(s, &(struct spec){ .left = spec->left, .width = spec->width }, "",
                   x != x  ? "nan"
                   : x > 0 ? "inf"
                           : "-inf",
                   x < 0 ? 4 : 3);
        return;
    }
    if (x < 0) {
        sign = "-";
        x = -x;
    }
    for (int i = 0; i < decimals; i++)
        scale *= 10;
    whole = (uint64_t)x;
    part = (uint64_t)((x - (double)whole) * (double)scale + 0.5);
    if (part >= scale) {
        part -= scale;
        whole++;
    }
    if (decimals) {
        for (int i = 0; i < decimals; i++, part /= 10)
            *--p = (char)('0' + part % 10);
        *--p = '.';
    }
    p = digits(p, whole, &decimal);
    put_padded(s, spec, sign, p, (size_t)(end - p));
}

static void put_integer(struct sink *s, const struct spec *given, const char *sign, uint64_t x,
                        const struct radix *radix)
{
    char buf[80], *end = buf + sizeof(buf), *p = end;
    struct spec spec = *given;

    p = digits(p, x, radix);
    if (spec.precision >= 0) {
        spec.zero = false;
        while (end - p < spec.precision && p > buf)
            *--p = '0';
    }
    put_padded(s, &spec, sign, p, (size_t)(end - p));
}

static int parse_number(const char **format, va_list *args)
{
    int n = 0;

    if (**format == '*') {
        (*format)++;
        n = va_arg(*args, int);
        return n < 0 ? 0 : n;
    }
    for (; **format >= '0' && **format <= '9'; (*format)++)
        n = n < 10000 ? n * 10 + (**format - '0') : n;
    return n;
}

static void put_format(struct sink *s, const char *format, va_list given)
{
    va_list args;

    va_copy(args, given);
    for (; *format; format++) {
        struct spec spec = { .precision = -1 };
        int longs = 0;

        if (*format != '%') {
            put(s, *format);
            continue;
        }
        for (format++; *format == '-' || *format == '0'; format++) {
            if (*format == '-')
                spec.left = true;
            else
                spec.zero = true;
        }
        spec.width = parse_number(&format, &args);
        if (*format == '.') {
            format++;
            spec.precision = parse_number(&format, &args);
        }
        for (; *format == 'l' || *format == 'z'; format++)
            longs++;

        switch (*format) {
        case 'c': {
            char c = (char)va_arg(args, int);

            put_padded(s, &spec, "", &c, 1);
            break;
        }
        case 's': {
            const char *text = va_arg(args, const char *);
            size_t n = 0;

            if (!text)
                text = "(null)";
            while ((spec.precision < 0 || n < (size_t)spec.precision) && text[n])
                n++;
            spec.zero = false;
            put_padded(s, &spec, "", text, n);
            break;
        }
        case 'd':
        case 'i': {
            int64_t x = longs > 1 ? va_arg(args, long long)
                        : longs   ? va_arg(args, long)
                                  : va_arg(args, int);

            put_integer(s, &spec, x < 0 ? "-" : "", x < 0 ? -(uint64_t)x : (uint64_t)x, &decimal);
            break;
        }
        case 'u':
        case 'x':
        case 'X': {
            uint64_t x = longs > 1 ? va_arg(args, unsigned long long)
                         : longs   ? va_arg(args, unsigned long)
                                   : va_arg(args, unsigned);

            put_integer(s, &spec, "", x,
                        *format == 'u'   ? &decimal
                        : *format == 'X' ? &upper_hex
                                         : &hex);
            break;
        }
        case 'p': put_integer(s, &spec, "0x", (uintptr_t)va_arg(args, void *), &hex); break;
        case 'f': put_double(s, &spec, va_arg(args, double)); break;
        case '%': put(s, '%'); break;
        default: /* a wrong format shows itself; a cut-off one ends the text */
            put(s, '%');
            format -= *format ? 0 : 1;
            if (*format && *format != '%')
                put(s, *format);
            break;
        }
    }
    va_end(args);
    if (s->size)
        s->out[min_u64(s->length, s->size - 1)] = 0;
}

size_t fmt_vprint(char *out, size_t size, const char *format, va_list args)
{
    struct sink s = { .out = out, .size = size };

    put_format(&s, format, args);
    return s.length;
}

size_t fmt_print(char *out, size_t size, const char *format, ...)
{
    va_list args;
    size_t n;

    va_start(args, format);
    n = fmt_vprint(out, size, format, args);
    va_end(args);
    return n;
}

struct fmt_buffer fmt_buffer_make(char *text, size_t size)
{
    if (size)
        text[0] = 0;
    return (struct fmt_buffer){ .text = text, .size = size };
}

void fmt_append(struct fmt_buffer *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fmt_vappend(b, format, args);
    va_end(args);
}

void fmt_vappend(struct fmt_buffer *b, const char *format, va_list args)
{
    struct sink s = { b->text, b->size, b->length, b->to };

    put_format(&s, format, args);
    if (s.length < s.size) {
        b->length = s.length;
    } else {
        b->cut = true;
        b->length = b->size ? b->size - 1 : 0;
    }
}

struct fmt_buffer fmt_stream_make(char *text, size_t size, struct writer to)
{
    struct fmt_buffer b = fmt_buffer_make(text, size);

    b.to = to;
    return b;
}

void fmt_flush(struct fmt_buffer *stream)
{
    if (!stream->length)
        return;
    stream->to.write(stream->to.ctx, stream->text, stream->length);
    stream->length = 0;
    stream->text[0] = 0;
}

void fmt_write(struct writer to, const char *text)
{
    to.write(to.ctx, text, strlen(text));
}

const char *fmt_size(char text[16], unsigned long long bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    unsigned long long unit = 1;
    size_t u = 0;

    while (u + 1 < sizeof(units) / sizeof(units[0]) && bytes / unit >= 1024) {
        unit *= 1024;
        u++;
    }
    if (bytes % unit == 0 || bytes / unit >= 100)
        fmt_print(text, 16, "%lu %s", (unsigned long)(bytes / unit), units[u]);
    else
        fmt_print(text, 16, "%.1f %s", (double)bytes / (double)unit, units[u]);
    return text;
}

void fmt_append_size(struct fmt_buffer *b, unsigned long long bytes)
{
    fmt_append(b, "%s", FMT_SIZE(bytes));
}

const char *fmt_plural(unsigned long long n)
{
    return n == 1 ? "" : "s";
}

void fmt_append_json(struct fmt_buffer *b, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\')
            fmt_append(b, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f) /* Latin-1 and control characters: plain ASCII goes out */
            fmt_append(b, "\\u%04x", c);
        else
            fmt_append(b, "%c", c);
    }
}
