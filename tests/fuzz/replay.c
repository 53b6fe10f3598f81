// SPDX-License-Identifier: MIT
/*
 * Runs the target once on each file that the command line names; for compilers without libFuzzer.
 * A file that takes longer than SECONDS_MAX ends the process by SIGALRM.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"

#define SECONDS_MAX 20
#define BYTES_MAX   (1 << 20)

static void run(const char *path)
{
    static uint8_t bytes[BYTES_MAX];
    FILE *file = fopen(path, "rb");
    uint8_t *input;
    size_t size;

    CHECK(file);
    size = fread(bytes, 1, sizeof(bytes), file);
    CHECK(!ferror(file) && size < sizeof(bytes));
    fclose(file);

    input = fuzz_copy(bytes, size);
    alarm(SECONDS_MAX);
    LLVMFuzzerTestOneInput(input, size);
    alarm(0);
    free(input);
    printf("%s: %zu bytes\n", path, size);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* the last line is of the file before one that crashes */
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    return argc > 1 ? 0 : 2;
}
