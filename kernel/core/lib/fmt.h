// SPDX-License-Identifier: MIT
/*
 * Text from values, printf's way: %c %s %d %i %u %x %X %p %% and %f, flags '-' and '0', a width and
 * a precision (also '*'), lengths l, ll, z. %f shows |x| < 10^15, with at most 9 decimals.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/*
 * Writes at most size bytes with the closing NUL and returns the length that the whole text has,
 * as snprintf does. Works the same in the kernel and on the host.
 */
size_t fmt_print(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
size_t fmt_vprint(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Where text goes piece by piece, so that no line has to be cut. */
struct writer {
    void (*write)(void *ctx, const char *text, size_t n);
    void *ctx;
};

/* A whole text, of any length. */
void fmt_write(struct writer to, const char *text);

/* A text that grows piece by piece in a fixed buffer; `cut` says that something did not fit. */
struct fmt_buffer {
    char *text; /* always terminated */
    size_t size;
    size_t length;
    _Bool cut;
    struct writer to; /* of a stream: takes what is in the buffer when that is full */
};

struct fmt_buffer fmt_buffer_make(char *text, size_t size);
void fmt_append(struct fmt_buffer *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void fmt_vappend(struct fmt_buffer *b, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* A stream: a text of any length, in a buffer of two bytes or more. */
struct fmt_buffer fmt_stream_make(char *text, size_t size, struct writer to);

/* Sends what is in the stream's buffer. */
void fmt_flush(struct fmt_buffer *stream);

/* "" for one, "s" for any other number: "1 page", "0 pages". */
const char *fmt_plural(unsigned long long n);

/*
 * A size for people, in binary units, three digits: "512 MiB", "1.5 GiB", "768 KiB". FMT_SIZE is
 * the text, which lives as long as the block that it is in.
 */
#define FMT_SIZE(bytes) fmt_size((char[16]){ "" }, bytes)
const char *fmt_size(char text[16], unsigned long long bytes);
void fmt_append_size(struct fmt_buffer *b, unsigned long long bytes);

/* s as the inside of a JSON string: quotes, backslashes and control characters escaped. */
void fmt_append_json(struct fmt_buffer *b, const char *s);
