// SPDX-License-Identifier: MIT
#include "lib/string.h"

#include <stdint.h>

#include "lib/minmax.h"

#if !__STDC_HOSTED__
/* By the longest words first: an emulator takes as long for a byte as for a word. */
#ifdef __x86_64__
#define WORDS "q"
#else
#define WORDS "l"
#endif

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    void *ret = to;
    size_t words = n / sizeof(size_t), bytes = n % sizeof(size_t);

    __asm__ volatile("rep movs" WORDS : "+D"(to), "+S"(from), "+c"(words) : : "memory");
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
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
    size_t word = (unsigned char)byte * (SIZE_MAX / UINT8_MAX);
    size_t words = n / sizeof(word), bytes = n % sizeof(word);

    __asm__ volatile("rep stos" WORDS : "+D"(to), "+c"(words) : "a"(word) : "memory");
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(word) : "memory");
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
