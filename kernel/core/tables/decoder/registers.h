// SPDX-License-Identifier: MIT
/*
 * A list of the registers that a decoder has read: it goes into the report, and decodes to the same
 * again.
 *
 * As text, in words: "cpu.amd.25.97.2" is vendor, family, model and stepping; "smn.0.50000=201" is
 * space, unit, offset and value of a register, in hexadecimal digits.
 */
#pragma once

#include "decoder/decoder.h"
#include "lib/fmt.h"

#define REGISTERS_MAX     1152 /* two sockets of Zen 4 with 16 modules have 1054 */
#define REGISTER_TEXT_MAX 40

struct register_value {
    struct register_id id;
    uint32_t value;
};

struct register_list {
    struct cpu_model cpu;
    bool is_cut; /* there were more */
    unsigned n;
    struct register_value at[REGISTERS_MAX];
};

/* Once for each register; what does not fit is dropped. */
void register_list_add(struct register_list *list, struct register_id id, uint32_t value);

/* Answers with the list's values alone. */
struct register_source register_list_source(const struct register_list *list);

void register_append(struct fmt_buffer *b, const struct register_value *value);
void register_append_cpu(struct fmt_buffer *b, const struct cpu_model *cpu);

/*
 * Words with blanks, lines, commas, quotation marks or brackets between. NULL: all words are such;
 * else the first that is not. The list then has what comes before it.
 */
const char *register_list_read(const char *text, struct register_list *ret);
