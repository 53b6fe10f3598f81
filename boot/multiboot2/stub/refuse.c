// SPDX-License-Identifier: MIT
#include "boot/multiboot2/stub/refuse.h"

#include "boot/multiboot2/stub/print.h"
#include "boot/multiboot2/tag.h"
#include "boot/stop/stop.h"

/* The command line, empty where there is none, or none that ends. */
static const char *command_line(const uint32_t *info)
{
    size_t at = TAGS_START;
    const struct tag *t;

    while ((t = tag_next(info, info[0], &at)) && t->type != TAG_END) {
        const char *text = (const char *)(t + 1);

        if (t->type == TAG_CMDLINE && t->size > sizeof(*t) && !text[t->size - sizeof(*t) - 1])
            return text;
    }
    return "";
}

_Noreturn void refuse_end(const uint32_t *info);

_Noreturn __attribute__((used)) void refuse_end(const uint32_t *info)
{
    stop("", command_line(info));
}

_Noreturn void refuse(const uint32_t *info, const char *why, const uint32_t *values)
{
    struct printed printed = { 0 };

    print(&printed, why, values);
    print(&printed, "\n", NULL);
    /* Does not return: the options are read with all of the work area, a page, as stack. */
    __asm__ volatile("or $0xfff, %%esp\n\t"
                     "and $-16, %%esp\n\t"
                     "push %0\n\t"
                     "call refuse_end"
                     :
                     : "r"(info)
                     : "memory");
    __builtin_unreachable();
}
