// SPDX-License-Identifier: MIT
#include "saved.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "lib/crc32c.h"
#include "saved/saved_read.h"
#include "tools/badram/message.h"

struct part_head {
    uint8_t number;
    uint32_t attributes, size;
} __attribute__((packed));
_Static_assert(sizeof(struct part_head) == 9, "as tools/okramlib/saved.py writes it");

static struct saved_variables parse(const struct file *file)
{
    struct saved_variables variables = { 0 };
    struct part_head head;

    for (size_t at = 0; at < file->size; at += sizeof(head) + head.size) {
        if (file->size - at < sizeof(head))
            fail("standard input: a variable is cut off");
        memcpy(&head, file->bytes + at, sizeof(head));
        if (head.number >= SAVED_PARTS_MAX || head.size > file->size - at - sizeof(head))
            fail("standard input: a variable is out of range");
        variables.part[head.number] = (struct saved_variable){
            file->bytes + at + sizeof(head),
            head.size,
            head.attributes,
        };
    }
    return variables;
}

static void print_parts(uint32_t parts)
{
    const char *comma = "";

    putchar('[');
    for (unsigned i = 0; i < SAVED_PARTS_MAX; i++) {
        if (parts >> i & 1) {
            printf("%s%u", comma, i);
            comma = ",";
        }
    }
    putchar(']');
}

static void print_hmac(const struct saved_report *report)
{
    printf(",\"hmac\":\"");
    for (size_t i = 0; i < sizeof(report->hmac); i++)
        printf("%02x", report->hmac[i]);
    putchar('"');
}

int saved_show(void)
{
    static const char *const kinds[] = {
        [SAVED_NOTHING] = "nothing",       [SAVED_UNREADABLE] = "unreadable",
        [SAVED_UNFINISHED] = "unfinished", [SAVED_INCOMPLETE] = "incomplete",
        [SAVED_WHOLE] = "whole",
    };
    static const char *const phases[] = {
        [SAVED_STARTED] = "started",
        [SAVED_RUNNING] = "running",
        [SAVED_DONE] = "done",
    };
    static struct saved_report report;
    struct file file = file_read_stream(stdin, "standard input");
    struct saved_variables variables = parse(&file);
    size_t size;

    saved_read(&variables, &report);
    size = strlen(report.jsonl);
    printf("{\"kind\":\"%s\",\"state\":\"%s\",\"bytes\":%zu,\"crc32c\":\"0x%08" PRIx32
           "\",\"why\":\"%s\",\"ignored\":",
           kinds[report.kind], report.kind > SAVED_UNREADABLE ? phases[report.phase] : "", size,
           crc32c(report.jsonl, size), report.why);
    print_parts(report.invalid_parts);
    if (report.has_hmac)
        print_hmac(&report);
    puts("}");
    fwrite(report.jsonl, 1, size, stdout);
    return 0;
}
