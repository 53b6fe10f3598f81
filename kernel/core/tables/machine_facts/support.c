// SPDX-License-Identifier: MIT
#include "machine_facts/support.h"

#include <stdarg.h>

#include "lib/fmt.h"
#include "lib/string.h"

void support_add(struct support_facts *facts, const char *name, const char *format, ...)
{
    struct support_fact *f = &facts->fact[facts->n];
    va_list args;

    if (facts->n == SUPPORT_FACTS_MAX)
        return;
    facts->n++;
    string_copy(f->name, name, sizeof(f->name));
    va_start(args, format);
    fmt_vprint(f->value, sizeof(f->value), format, args);
    va_end(args);
}

void support_copy_id(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    while (n && (to[n - 1] == ' ' || !from[n - 1]))
        n--;
    to[n] = 0;
}
