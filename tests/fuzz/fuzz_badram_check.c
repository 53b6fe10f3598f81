// SPDX-License-Identifier: MIT
/*
 * `badram --check`: a line that somebody has written, a memory map and bad pages. The input is
 * lines: the letter of an option (see `names`) and its value, or a bad page as on standard input.
 */
#include "tools/badram/check.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "given_up.h"
#include "log/page_index.h"
#include "tools/badram/input.h"
#include "tools/badram/message.h"

#define ARGUMENTS_MAX 24
#define PAIRS_MAX     16
#define RAM_MAX       (UINT64_C(256) << 20)

static struct arguments arguments;
static struct input input;

/* The option of a line, or NULL: it is a bad page. */
static const char *name_of(char letter)
{
    static const struct {
        char letter;
        const char *name;
    } names[] = { { 'c', "--check" },    { 'm', "--ram" },     { 'y', "--entry" },
                  { 'f', "--firmware" }, { 'T', "--map-top" }, { 'E', "--map-entries" },
                  { 'r', "--ranges" } };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].letter == letter)
            return names[i].name;
    }
    return NULL;
}

/* What is not an argument goes into `pages`, as long as the text is. */
static int split(char *text, char *argv[2 * ARGUMENTS_MAX + 2], char *pages)
{
    int n = 0;

    argv[n++] = "badram";
    for (char *line = strtok(text, "\n"); line && n < 2 * ARGUMENTS_MAX;
         line = strtok(NULL, "\n")) {
        const char *name = name_of(line[0]);

        if (name) {
            argv[n++] = (char *)name;
            argv[n++] = line + 1;
        } else {
            pages = stpcpy(stpcpy(pages, line), "\n");
        }
    }
    argv[n] = NULL;
    return n;
}

static void read_pages(const char *pages)
{
    if (!pages[0])
        return;
    stdin = fmemopen((char *)pages, strlen(pages), "r");
    CHECK(stdin);
    if (!setjmp(given_up))
        input_read(&input);
    fclose(stdin);
}

static void check_output(const char *text, bool wrong)
{
    CHECK(strncmp(text, "0x", 2) == 0 && strstr(text, "all: "));
    if (strstr(text, "HANGS") || strstr(text, " NOT, ") || strstr(text, "LOSES"))
        CHECK(wrong);
    for (; *text; text++)
        CHECK((*text >= ' ' && *text <= '~') || *text == '\n');
}

static void check(void)
{
    static struct page_extent extent[RAM_SPANS_MAX];
    static struct page_index space;
    static struct fault_log log;
    FILE *terminal = stdout;
    char *text = NULL;
    size_t n;
    int status;
    void *copy;

    if (page_index_init(&space, extent, RAM_SPANS_MAX, arguments.ram, arguments.n_ram) != STATUS_OK)
        return;
    copy = allocate(fault_log_copy_bytes(&space));
    fault_log_init(&log, &space, &(struct fault_log_memory){ .copy = { copy } });
    input_mark(&input, &log);
    stdout = open_memstream(&text, &n);
    CHECK(stdout);
    if (!setjmp(given_up)) {
        status = check_line(&arguments, &log);
        CHECK(status == 0 || status == 1);
        fflush(stdout);
        check_output(text, status);
    }
    fclose(stdout);
    stdout = terminal;
    free(text);
    free(copy);
}

static bool parse(int argc, char **argv)
{
    if (setjmp(given_up))
        return false;
    arguments_parse(argc, argv, &arguments);
    return true;
}

static bool assume_ram(void)
{
    if (setjmp(given_up))
        return false;
    if (!arguments.n_ram)
        arguments_assume_ram(&arguments, input_top(&input));
    return true;
}

static uint64_t ram_bytes(void)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < arguments.n_ram; i++)
        bytes += arguments.ram[i].size;
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size), *pages = calloc(1, size + 2);
    char *argv[2 * ARGUMENTS_MAX + 2];
    int argc;

    CHECK(pages);
    argc = split(text, argv, pages);
    free(input.run);
    free(input.pattern);
    free(arguments.checked);
    input = (struct input){ 0 };
    arguments.checked = NULL;
    optind = 0; /* getopt begins anew */
    if (parse(argc, argv)) {
        read_pages(pages);
        if (assume_ram() && arguments.n_checked && arguments.n_checked <= PAIRS_MAX &&
            ram_bytes() <= RAM_MAX)
            check();
    }
    free(pages);
    free(text);
    return 0;
}
