/*
 * badram: faulty addresses in, the badram line out, by the very code that okram boots with.
 *
 * Reads one address a line (0x... or decimal) from standard input, and writes the line to standard
 * output. Exit status: 0, or 2 when nothing usable came or an option was wrong.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults/cover.h"
#include "faults/lines.h"
#include "faults/pages.h"
#include "lib/fmt.h"

/* A bitmap over this much RAM takes 2 GiB. */
#define ADDR_LIMIT (UINT64_C(1) << 46)

/* So many ranges are proven to fit the memory map that GRUB hands on, beside the map's own. */
#define DEFAULT_RANGES 64

#define RAM_SPANS_MAX 1024

struct options {
    size_t patterns;
    uint64_t ranges;
    bool pages, json;
    struct span ram[RAM_SPANS_MAX];
    size_t n_ram;
};

static const char usage[] =
    "usage: badram [--patterns N] [--ranges N] [--pages] [--json] [--ram BASE-END]... <addresses\n"
    "  --patterns N    most patterns in the line (64)\n"
    "  --ranges N      most contiguous runs that they may make in RAM (64)\n"
    "  --pages         the input is page numbers (address / 4096)\n"
    "  --json          one JSON object instead of the line\n"
    "  --ram BASE-END  where RAM is, END exclusive, K M G T allowed; may be given again\n"
    "                  (without: all up to the next power of two above the highest address)\n";

_Noreturn static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("badram: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes);

    if (!p)
        fail("no memory for %zu bytes", bytes);
    return p;
}

/* 0x... or decimal at text; *end is set behind it. False: no number, or too large for 64 bits. */
static bool parse_number(const char *text, const char **end, uint64_t *ret_number)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    char *behind;
    uint64_t number;

    if (!strchr(hex ? "0123456789abcdefABCDEF" : "0123456789", *digits) || !*digits)
        return false;
    errno = 0;
    number = strtoull(digits, &behind, hex ? 16 : 10);
    if (errno)
        return false;
    *end = behind;
    *ret_number = number;
    return true;
}

static uint64_t parse_limit(const char *name, const char *text)
{
    const char *end;
    uint64_t n;

    if (!parse_number(text, &end, &n) || *end)
        fail("--%s %s: not a number", name, text);
    if (n == 0)
        fail("--%s 0: nothing can be covered with none, give 1 or more", name);
    return n;
}

static bool parse_size(const char *text, const char **end, uint64_t *ret_size)
{
    static const char units[] = "KMGT";
    const char *unit;
    uint64_t size;

    if (!parse_number(text, end, &size))
        return false;
    unit = **end ? strchr(units, **end) : NULL;
    if (unit) {
        unsigned shift = 10 * (unsigned)(unit - units + 1);

        if (size > UINT64_MAX >> shift)
            return false;
        size <<= shift;
        (*end)++;
    }
    *ret_size = size;
    return true;
}

static struct span parse_span(const char *text)
{
    uint64_t base, top;
    const char *end;

    if (!parse_size(text, &end, &base) || *end != '-' || !parse_size(end + 1, &end, &top) || *end)
        fail("--ram %s: not of the form BASE-END", text);
    if (base >= top || top > ADDR_LIMIT)
        fail("--ram %s: END must be above BASE, and at most 64T", text);
    return (struct span){ .base = base, .size = top - base };
}

static int compare_spans(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return (x->base > y->base) - (x->base < y->base);
}

static void parse_options(int argc, char **argv, struct options *o)
{
    static const struct option names[] = {
        { "patterns", required_argument, NULL, 'k' },
        { "ranges", required_argument, NULL, 'r' },
        { "ram", required_argument, NULL, 'm' },
        { "pages", no_argument, NULL, 'p' },
        { "json", no_argument, NULL, 'j' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    int c;

    *o = (struct options){ .patterns = 64, .ranges = DEFAULT_RANGES };
    while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (c) {
        case 'k':
            o->patterns = parse_limit("patterns", optarg);
            break;
        case 'r':
            o->ranges = parse_limit("ranges", optarg);
            break;
        case 'm':
            if (o->n_ram == RAM_SPANS_MAX)
                fail("more than %d --ram", RAM_SPANS_MAX);
            o->ram[o->n_ram++] = parse_span(optarg);
            break;
        case 'p':
            o->pages = true;
            break;
        case 'j':
            o->json = true;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            exit(2);
        }
    }
    if (optind < argc)
        fail("%s: addresses are read from standard input", argv[optind]);
    qsort(o->ram, o->n_ram, sizeof(o->ram[0]), compare_spans);
}

struct addresses {
    uint64_t *addr;
    size_t n, room;
};

static void add_address(struct addresses *a, uint64_t addr)
{
    if (a->n == a->room) {
        a->room = a->room ? 2 * a->room : 1024;
        a->addr = realloc(a->addr, a->room * sizeof(a->addr[0]));
        if (!a->addr)
            fail("no memory for %zu addresses", a->room);
    }
    a->addr[a->n++] = addr;
}

static bool is_ram(const struct options *o, uint64_t addr)
{
    for (size_t i = 0; i < o->n_ram; i++) {
        if (addr >> PAGE_SHIFT >= o->ram[i].base >> PAGE_SHIFT &&
            addr >> PAGE_SHIFT <= (span_end(o->ram[i]) - 1) >> PAGE_SHIFT)
            return true;
    }
    return o->n_ram == 0;
}

static struct addresses read_addresses(const struct options *o)
{
    unsigned shift = o->pages ? PAGE_SHIFT : 0;
    struct addresses a = { 0 };
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    for (size_t number = 1; (length = getline(&line, &room, stdin)) >= 0; number++) {
        const char *text, *end;
        uint64_t value;

        while (length > 0 && strchr(" \t\r\n", line[length - 1]))
            line[--length] = 0;
        text = line + strspn(line, " \t");
        if (!*text)
            continue;
        if (!parse_number(text, &end, &value) || *end)
            fprintf(stderr, "badram: line %zu: '%s' is not an address: skipped\n", number, text);
        else if (value >= ADDR_LIMIT >> shift)
            fprintf(stderr, "badram: line %zu: %s is above 64 TiB: skipped\n", number, text);
        else if (!is_ram(o, value << shift))
            fprintf(stderr, "badram: line %zu: %s is not in the RAM given: skipped\n", number,
                    text);
        else
            add_address(&a, value << shift);
    }
    free(line);
    return a;
}

/* Without --ram: everything up to the next power of two. */
static void assume_ram(struct options *o, const struct addresses *a)
{
    uint64_t top = PAGE_SIZE;

    for (size_t i = 0; i < a->n; i++) {
        while (top <= a->addr[i])
            top *= 2;
    }
    o->ram[o->n_ram++] = (struct span){ .base = 0, .size = top };
}

static void print_json(const struct cover *cover, uint64_t bad_pages, const char *line)
{
    printf("{\"bad_pages\":%" PRIu64 ",\"patterns\":[", bad_pages);
    for (size_t i = 0; i < cover->n_patterns; i++)
        printf("%s[\"0x%" PRIx64 "\",\"0x%" PRIx64 "\"]", i ? "," : "", cover->pattern[i].addr,
               cover->pattern[i].mask);
    printf("],\"sacrificed_pages\":%" PRIu64 ",\"ranges\":%" PRIu64 ",\"line\":\"%s\"}\n",
           cover->sacrificed_pages, cover->ranges, line);
}

int main(int argc, char **argv)
{
    static struct page_extent extent[RAM_SPANS_MAX];
    static char text[LINES_BADRAM_BYTES(COVER_PATTERNS_MAX)];
    static struct options options;
    static struct fault_log log;
    static struct cover_work work;
    static struct cover cover;
    struct fmt_buffer line = fmt_buffer_make(text, sizeof(text));
    struct cover_limits limits;
    struct page_space space;
    struct addresses bad;
    void *bitmap;

    parse_options(argc, argv, &options);
    bad = read_addresses(&options);
    if (bad.n == 0)
        fail("no usable address on standard input");
    if (options.n_ram == 0)
        assume_ram(&options, &bad);
    if (page_space_init(&space, extent, RAM_SPANS_MAX, options.ram, options.n_ram))
        fail("the ranges of --ram overlap");

    bitmap = allocate(fault_log_bitmap_bytes(&space));
    fault_log_init(&log, &space, bitmap);
    for (size_t i = 0; i < bad.n; i++)
        fault_log_mark_page(&log, bad.addr[i]);
    limits = (struct cover_limits){ options.patterns, options.ranges };
    if (cover_derive(&log, &limits, &work, &cover))
        fail("no cover within these limits");
    if (cover.ranges > options.ranges && options.ranges < COVER_RANGES_MAX)
        fprintf(stderr, "badram: no cover makes fewer than %" PRIu64 " ranges here\n",
                cover.ranges);

    lines_badram(&line, &cover);
    if (options.json)
        print_json(&cover, fault_log_bad_pages(&log), text);
    else
        puts(text);
    free(bitmap);
    free(bad.addr);
    return fflush(stdout) || ferror(stdout) ? 2 : 0;
}
