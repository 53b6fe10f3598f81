// SPDX-License-Identifier: MIT
/* The part of <string.h> that okram uses. On the host libc provides it. */
#pragma once

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
char *strstr(const char *s, const char *part);

/* A to Z in lower case, and anything else as it is. */
static inline unsigned ascii_lower(unsigned c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* Copies at most size - 1 bytes and always terminates. Returns strlen(from): cut when >= size. */
size_t string_copy(char *to, const char *from, size_t size);
