// SPDX-License-Identifier: MIT
/*
 * badram: bad pages in, lines out, by the code of the kernel. It computes for
 * `tools/okram badram`, which reads the formats of users and other programs.
 *
 * Standard input (input.h) is only read for lines that need the bad pages. Exit
 * status: 0; 1 when --check found something wrong; 2 when an argument was, or nothing could be
 * made; 5: lines were made, but not of all bad pages, for some are not in RAM.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "badram/cover.h"
#include "bootcfg/lines.h"
#include "check.h"
#include "explain.h"
#include "input.h"
#include "message.h"
#include "simulate.h"

/* As EXIT_LINES_LOST of tools/okramlib. */
#define LOST 5

/* Of a page list: "0x", 13 digits and what is between. */
#define PAGE_TEXT_BYTES 16

/* A text of 512 MiB, of which what is not used takes no memory. */
#define LISTED_MAX (1u << 24)

static struct page_extent extent[RAM_SPANS_MAX];
static struct arguments arguments;
static struct page_index space;
static struct fault_log bad;
static struct cover cover;

static void derive(void)
{
    static struct cover_work work;
    struct cover_limits limits = { arguments.patterns, arguments.ranges, NULL };
    uint64_t spared = 0;

    if (arguments.firmware == FIRMWARE_BIOS)
        limits.map = simulate_map(&arguments);

    if (cover_derive(&bad, &limits, &work, &cover))
        fail("no cover within these limits");
    if (arguments.patterns > COVER_PATTERNS_MAX &&
        cover.sacrificed_pages > fault_log_bad_pages(&bad))
        message("--patterns %zu is cut to %d: GRUB stops at a longer badram command",
                arguments.patterns, COVER_PATTERNS_MAX);
    if (arguments.firmware != FIRMWARE_BIOS && arguments.ranges_are_auto)
        spared = cover_spares(&bad, &limits, LINES_STUB_RANGES, &cover, &work);
    if (spared)
        message("the badram line joins bad pages to at most %" PRIu64
                " ranges, as GRUB up to 2.06 needs; by UEFI GRUB 2.12 takes more: with --ranges %d "
                "the line gives up %" PRIu64 " fewer good pages",
                arguments.ranges, LINES_STUB_RANGES, spared);
}

struct made {
    struct fmt_buffer text, note;
};

/* In a list of them, each. */
static uint64_t listed_pages(enum line_kind kind)
{
    uint64_t n = kind == LINE_PAGES || kind == LINE_RANGES ? fault_log_bad_pages(&bad) : 0;

    if (n > LISTED_MAX)
        fail("--to %s: more than %u pages are bad", lines_name(kind), LISTED_MAX);
    return n;
}

static struct made make_line(enum line_kind kind)
{
    static struct lines_work work;
    static char note[LINES_NOTE_SIZE];
    size_t size = LINES_TEXT_SIZE + listed_pages(kind) * 2 * PAGE_TEXT_BYTES;
    struct lines_source source = { .log = &bad,
                                   .cover = &cover,
                                   .max_ranges = arguments.ranges,
                                   .ram_is_assumed = !arguments.ram_is_known,
                                   .by_bios = arguments.firmware == FIRMWARE_BIOS };
    struct made made = { fmt_buffer_make(allocate(size), size),
                         fmt_buffer_make(note, sizeof(note)) };

    lines_make(kind, &source, &work, &made.text, &made.note);
    return made;
}

/* A text of plain ASCII, in JSON. */
static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", stdout);
        else if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void print_json(void)
{
    struct made badram = make_line(LINE_GRUB);
    const char *comma = "";

    printf("{\"bad_pages\":%" PRIu64 ",\"patterns\":[", fault_log_bad_pages(&bad));
    for (size_t i = 0; i < cover.n_patterns; i++)
        printf("%s[\"0x%" PRIx64 "\",\"0x%" PRIx64 "\"]", i ? "," : "", cover.pattern[i].addr,
               cover.pattern[i].mask);
    printf("],\"sacrificed_pages\":%" PRIu64 ",\"ranges\":%" PRIu64 ",\"line\":\"%s\"",
           cover.sacrificed_pages, cover.ranges, badram.text.text);
    free(badram.text.text);
    if (arguments.kinds != 1u << LINE_GRUB) {
        printf(",\"lines\":[");
        for (unsigned kind = 0; kind < LINE_KINDS; kind++) {
            struct made made;

            if (!(arguments.kinds >> kind & 1))
                continue;
            made = make_line((enum line_kind)kind);
            printf("%s{\"name\":\"%s\",\"place\":", comma, lines_name((enum line_kind)kind));
            print_quoted(lines_place((enum line_kind)kind));
            printf(",\"text\":");
            print_quoted(made.text.text);
            printf(",\"note\":");
            print_quoted(made.note.text);
            putchar('}');
            free(made.text.text);
            comma = ",";
        }
        putchar(']');
    }
    puts("}");
}

/* The firmware is unknown: on one of them the line may be incomplete. */
static void warn_of_bios(void)
{
    struct simulation s;

    if (arguments.firmware != FIRMWARE_UNKNOWN || !arguments.n_entries)
        return;
    s = simulate_line(FIRMWARE_BIOS, simulate_map(&arguments), cover.pattern, cover.n_patterns,
                      &bad);
    if (s.bad_pages)
        message("the badram line is for UEFI; GRUB on BIOS would leave %" PRIu64
                " of the bad pages in use: --firmware bios makes one for it",
                s.bad_pages);
    else if (!s.is_known)
        message("the badram line is for UEFI: it has too many blocks for GRUB on BIOS");
    simulate_free(&s);
}

/* The lines on standard output, their costs on standard error. */
static int print_lines(void)
{
    int status = 0;

    if (arguments.kinds & (1u << LINE_GRUB | 1u << LINE_GRUB_DEFAULT))
        warn_of_bios();
    for (unsigned kind = 0; kind < LINE_KINDS; kind++) {
        struct made made;

        if (!(arguments.kinds >> kind & 1))
            continue;
        made = make_line((enum line_kind)kind);
        message("%s (%s): %s", lines_name((enum line_kind)kind), lines_place((enum line_kind)kind),
                made.note.text);
        if (made.text.length)
            puts(made.text.text);
        else
            status = 2;
        free(made.text.text);
    }
    return status;
}

static int make(void)
{
    if (fault_log_bad_pages(&bad) == 0)
        fail("no bad page in the input");
    derive();
    if (arguments.explain)
        explain_cover(&cover, &bad, &arguments);
    if (!arguments.json)
        return print_lines();
    print_json();
    return 0;
}

int main(int argc, char **argv)
{
    struct input input = { 0 };
    bool is_lost;
    int status;

    arguments_parse(argc, argv, &arguments);
    if (arguments.has_input)
        input_read(&input);
    if (!arguments.n_ram)
        arguments_assume_ram(&arguments, input_top(&input));
    if (page_index_init(&space, extent, RAM_SPANS_MAX, arguments.ram, arguments.n_ram))
        fail("the ranges of RAM overlap, or there are more than %d", RAM_SPANS_MAX);
    fault_log_init(
        &bad, &space,
        &(struct fault_log_memory){ .copy = { allocate(fault_log_copy_bytes(&space)) } });
    is_lost = input_mark(&input, &bad) != 0;
    if (arguments.n_checked)
        status = check_line(&arguments, &bad);
    else
        status = make();
    if (!status && is_lost)
        status = LOST;
    return fflush(stdout) || ferror(stdout) ? 2 : status;
}
