// SPDX-License-Identifier: MIT
#include "lib/string.h"

#include <stdint.h>

#include "lib/minmax.h"

#if !__STDC_HOSTED__
void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    void *ret = to;

    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    return ret;
}

void *memmove(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;

    if ((uintptr_t)t - (uintptr_t)f >= n)
        return memcpy(to, from, n);
    while (n--)
        t[n] = f[n];
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    void *ret = to;

    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
    return ret;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i])
            return x[i] - y[i];
    }
    return 0;
}

size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n])
        n++;
    return n;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n; n--, a++, b++) {
        if (*a != *b)
            return (unsigned char)*a - (unsigned char)*b;
        if (!*a)
            break;
    }
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)s;
        if (!*s)
            return NULL;
    }
}

char *strstr(const char *s, const char *part)
{
    size_t n = strlen(part);

    for (;; s++) {
        if (strncmp(s, part, n) == 0)
            return (char *)s;
        if (!*s)
            return NULL;
    }
}
#endif

size_t string_copy(char *to, const char *from, size_t size)
{
    size_t n = strlen(from);

    if (size) {
        size_t kept = min_u64(n, size - 1);

        memcpy(to, from, kept);
        to[kept] = 0;
    }
    return n;
}
