// SPDX-License-Identifier: MIT
#include "decoder/registers.h"

#include "lib/string.h"

static const char *const spaces[] = { [REGISTER_PCI] = "pci",
                                      [REGISTER_MCHBAR] = "mchbar",
                                      [REGISTER_SMN] = "smn",
                                      [REGISTER_DF] = "df",
                                      [REGISTER_TIMING] = "timing" };
#define SPACES (sizeof(spaces) / sizeof(spaces[0]))

static const char *const vendors[] = { [CPU_VENDOR_OTHER] = "other",
                                       [CPU_VENDOR_INTEL] = "intel",
                                       [CPU_VENDOR_AMD] = "amd",
                                       [CPU_VENDOR_HYGON] = "hygon" };
#define VENDORS (sizeof(vendors) / sizeof(vendors[0]))

static const struct register_value *find(const struct register_list *list, struct register_id id)
{
    for (unsigned i = 0; i < list->n; i++) {
        const struct register_id *is = &list->at[i].id;

        if (is->space == id.space && is->unit == id.unit && is->offset == id.offset)
            return &list->at[i];
    }
    return NULL;
}

void register_list_add(struct register_list *list, struct register_id id, uint32_t value)
{
    if (find(list, id))
        return;
    if (list->n == REGISTERS_MAX)
        list->is_cut = true;
    else
        list->at[list->n++] = (struct register_value){ id, value };
}

static bool read_listed(void *ctx, struct register_id id, uint32_t *ret_value)
{
    const struct register_value *found = find(ctx, id);

    if (found)
        *ret_value = found->value;
    return found;
}

struct register_source register_list_source(const struct register_list *list)
{
    return (struct register_source){ read_listed, (void *)(uintptr_t)list };
}

void register_append(struct fmt_buffer *b, const struct register_value *value)
{
    fmt_append(b, "%s.%x.%x=%x", spaces[value->id.space], value->id.unit, value->id.offset,
               value->value);
}

void register_append_cpu(struct fmt_buffer *b, const struct cpu_model *cpu)
{
    fmt_append(b, "cpu.%s.%u.%u.%u", vendors[cpu->vendor], cpu->family, cpu->model, cpu->stepping);
}

/* The name that the text begins with, and a point; moves the text behind it. n: there is none. */
static size_t take_name(const char **text, const char *const *name, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(name[i]);

        if (!strncmp(*text, name[i], length) && (*text)[length] == '.') {
            *text += length + 1;
            return i;
        }
    }
    return n;
}

/* Between words. */
static bool is_between(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == '"' || c == '[' ||
           c == ']';
}

/* A number of up to 32 bits, and what must follow it (0: the word's end). */
static bool take_number(const char **text, unsigned base, char then, uint32_t *ret)
{
    const char *begin = *text;
    uint64_t value = 0;

    for (unsigned digit; **text; (*text)++) {
        digit = (unsigned)(**text >= 'a' ? **text - 'a' + 10 : **text - '0');
        if (digit >= base || (**text > '9' && **text < 'a'))
            break;
        value = value * base + digit;
        if (value > UINT32_MAX)
            return false;
    }
    if (*text == begin || (then ? **text != then : **text && !is_between(**text)))
        return false;
    *text += then != 0;
    *ret = (uint32_t)value;
    return true;
}

static bool take_cpu(const char **text, struct cpu_model *ret)
{
    size_t vendor = take_name(text, vendors, VENDORS);

    ret->vendor = (enum cpu_vendor)(vendor % VENDORS);
    return vendor < VENDORS && take_number(text, 10, '.', &ret->family) &&
           take_number(text, 10, '.', &ret->model) && take_number(text, 10, 0, &ret->stepping);
}

static bool take_register(const char **text, struct register_list *list)
{
    size_t space = take_name(text, spaces, SPACES);
    uint32_t unit, offset, value;

    if (space == SPACES || !take_number(text, 16, '.', &unit) || unit > UINT16_MAX ||
        !take_number(text, 16, '=', &offset) || !take_number(text, 16, 0, &value))
        return false;
    register_list_add(
        list,
        (struct register_id){ .space = (uint8_t)space, .unit = (uint16_t)unit, .offset = offset },
        value);
    return true;
}

const char *register_list_read(const char *text, struct register_list *ret)
{
    static const char *const cpu[] = { "cpu" };

    *ret = (struct register_list){ 0 };
    for (;;) {
        const char *word;
        bool is_word;

        while (is_between(*text))
            text++;
        if (!*text)
            return NULL;
        word = text;
        is_word =
            !take_name(&text, cpu, 1) ? take_cpu(&text, &ret->cpu) : take_register(&text, ret);
        if (!is_word)
            return word;
    }
}
