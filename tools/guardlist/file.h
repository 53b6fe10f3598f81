// SPDX-License-Identifier: MIT
/* A whole file in memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct file {
    uint8_t *bytes;
    size_t size;
};

/* Of at most FILE_BYTES_MAX; more, or an error, ends the program with a message. */
#define FILE_BYTES_MAX ((size_t)16 << 20)

struct file file_read(const char *path);
struct file file_read_stream(FILE *stream, const char *name);
