// SPDX-License-Identifier: MIT
#include "cycles_kept.h"

#include <efi.h>
#include <efilib.h>

#include "boot/uefi/variables.h"
#include "lib/date.h"
#include "lib/splitmix.h"
#include "lib/string.h"
#include "saved/json_line.h"

#define KEPT     "OkramCycles"
#define KEPT_MAX 768 /* the word, a blank, and options */

/* What a person chose for the first of these starts. */
static char chosen[KEPT_MAX];
static size_t restored_end; /* of the command line, with it */

static uint64_t now(void)
{
    EFI_TIME t;

    if (EFI_ERROR(RT->GetTime(&t, NULL)))
        return 0;
    return (uint64_t)date_seconds(
        &(struct date){ t.Year, t.Month, t.Day, t.Hour, t.Minute, t.Second });
}

/* Appends nothing if there is not enough room. */
static void append(char *cmdline, size_t size, const char *words, const struct cycles *c)
{
    size_t length = strlen(cmdline);
    struct fmt_buffer b = fmt_buffer_make(cmdline + length, size - length);

    fmt_append(&b, "%s%s%scycles=", length ? " " : "", words, *words ? " " : "");
    cycles_append(&b, c);
    if (b.cut)
        cmdline[length] = 0;
}

/* The word, and what was chosen. False: there is none, or it is damaged. */
static bool read_kept(struct cycles *ret_kept)
{
    struct variable v = variable_read(KEPT, &variable_okram);
    char text[KEPT_MAX];
    char *blank;
    bool is_good = false;

    if (!v.bytes)
        return false;
    if (v.attributes == VARIABLE_KEPT && v.size < sizeof(text)) {
        string_copy(text, (const char *)v.bytes, sizeof(text));
        blank = strchr(text, ' ');
        if (blank)
            *blank++ = 0;
        is_good = cycles_read(text, ret_kept) && ret_kept->id;
        string_copy(chosen, blank && is_good ? blank : "", sizeof(chosen));
    }
    variable_free(&v);
    if (!is_good)
        Print(L"okram: the count of starts in the UEFI variable " KEPT
              " is damaged, and not used.\r\n");
    return is_good;
}

/* The state after the start that the last report is of; false: it has none of these starts. */
static bool read_result(const char *jsonl, const struct cycles *kept, struct cycles *ret_result)
{
    char word[CYCLES_WORD_MAX];
    char type[16];

    for (const char *line = jsonl; line; line = json_line_next(line)) {
        if (json_line_value(line, "type", type, sizeof(type)) && strcmp(type, "cycles") == 0 &&
            json_line_value(line, "word", word, sizeof(word)) && cycles_read(word, ret_result) &&
            ret_result->id == kept->id && cycles_all(ret_result) == cycles_all(kept))
            return true;
    }
    return false;
}

static void forget(void)
{
    chosen[0] = 0;
    (void)variable_delete(KEPT, &variable_okram);
}

void cycles_kept_restore(const struct options *asked, const char *jsonl, char *cmdline, size_t size)
{
    struct cycles kept, c;

    restored_end = strlen(cmdline);
    if (!read_kept(&kept))
        return;
    if (asked->cycles.wanted != kept.wanted) {
        Print(L"okram: cycles=%d was not given again: its starts so far are forgotten.\r\n",
              kept.wanted);
        forget();
        return;
    }
    if (!read_result(jsonl, &kept, &c)) {
        c = kept;
        Print(L"okram: the start before gave no result: it hung, or was cut short.\r\n");
    }
    if (!cycles_left(&c)) { /* the next one begins anew */
        forget();
        return;
    }
    Print(L"okram: start %u of %u.\r\n", c.starts + c.lost + 1, c.wanted);
    append(cmdline, size, chosen, &c);
    restored_end = strlen(cmdline);
}

static EFI_STATUS write_kept(const struct cycles *c, const char *words)
{
    char text[KEPT_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    cycles_append(&b, c);
    fmt_append(&b, " %s%s%s", chosen, *chosen && *words ? " " : "", words);
    if (b.cut)
        return EFI_BUFFER_TOO_SMALL;
    return variable_write(KEPT, &variable_okram, VARIABLE_KEPT, text, b.length);
}

void cycles_kept_begin(const struct options *options, char *cmdline, size_t size)
{
    const char *words = cmdline + restored_end;
    struct cycles c = options->cycles, begun;
    EFI_STATUS status;

    if (!c.wanted || !options->save) {
        (void)variable_delete(KEPT, &variable_okram);
        return;
    }
    if (!c.id)
        c.id = (uint32_t)splitmix_mix(now()) | 1;
    begun = c;
    begun.lost++;
    begun.asked = 0; /* nor would it have come by itself */
    status = write_kept(&begun, words + (*words == ' '));
    if (EFI_ERROR(status)) {
        Print(L"okram: the count of starts cannot be kept in the UEFI variable " KEPT
              ": %r. There will be no restart.\r\n",
              status);
        c.id = 0;
    } else if (cycles_left(&begun)) { /* also if this one hangs, or is cut short */
        variable_boot_again();
    }
    append(cmdline, size, "", &c);
}
