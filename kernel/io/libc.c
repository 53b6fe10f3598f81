// SPDX-License-Identifier: MIT
#include "io/libc.h"

#include "lib/panic.h"
#include "lib/string.h"

void __assert_fail(const char *condition, const char *file, unsigned line, const char *function)
{
    panic("%s:%u: assertion failed in %s: %s", file, line, function, condition);
}

/* With _FORTIFY_SOURCE: room is the size of *to. */
static void check_room(size_t n, size_t room)
{
    if (n > room)
        panic("a library is about to write %zu bytes where %zu are", n, room);
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    check_room(n, room);
    return memcpy(to, from, n);
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
    check_room(n, room);
    return memmove(to, from, n);
}

void *__memset_chk(void *to, int byte, size_t n, size_t room)
{
    check_room(n, room);
    return memset(to, byte, n);
}

int abs(int x)
{
    return x < 0 ? -x : x;
}

long labs(long x)
{
    return x < 0 ? -x : x;
}
