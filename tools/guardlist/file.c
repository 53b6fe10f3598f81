// SPDX-License-Identifier: MIT
#include "file.h"

#include <errno.h>
#include <string.h>

#include "tools/badram/message.h"

struct file file_read_stream(FILE *stream, const char *name)
{
    struct file file = { .bytes = allocate(FILE_BYTES_MAX) };

    file.size = fread(file.bytes, 1, FILE_BYTES_MAX, stream);
    if (ferror(stream))
        fail("%s cannot be read: %s", name, strerror(errno));
    if (file.size == FILE_BYTES_MAX)
        fail("%s is too long", name);
    return file;
}

struct file file_read(const char *path)
{
    FILE *stream = fopen(path, "rb");
    struct file file;

    if (!stream)
        fail("%s cannot be read: %s", path, strerror(errno));
    file = file_read_stream(stream, path);
    fclose(stream);
    return file;
}
