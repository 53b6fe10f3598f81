// SPDX-License-Identifier: MIT
#include "diagnosis/code.h"

#include "diagnosis/state_bytes.h"
#include "lib/crc32c.h"
#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/string.h"

#define VERSION     2
#define DIGIT_BITS  5
#define GROUP       4
#define CRC_BITS    20
#define SLOT_ABSENT 31u
#define COUNT_BITS  16
#define SPEED_UNIT  100u
#define SPEED_MAX   127u

#define BITS_MAX                                                                                   \
    (29 + 22 * DIAGNOSIS_MODULES_MAX + 4 +                                                         \
     DIAGNOSIS_RUNS_MAX * (14 + 2 * COUNT_BITS + 5 * DIAGNOSIS_MODULES_MAX) + CRC_BITS +           \
     DIGIT_BITS)

_Static_assert((BITS_MAX + DIGIT_BITS - 1) / DIGIT_BITS * (GROUP + 1) / GROUP + 1 <=
                   DIAGNOSIS_CODE_MAX,
               "any state fits");

static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

/* Bits as bytes; one walk for both directions. */
struct bits {
    bool is_reader;
    unsigned at, n; /* n: of a reader */
    uint8_t bit[BITS_MAX];
};

static uint32_t field(struct bits *b, unsigned width, uint32_t value)
{
    uint32_t read = 0;

    for (unsigned i = width; i-- > 0; b->at++) {
        if (!b->is_reader)
            b->bit[b->at] = value >> i & 1;
        else
            read = read << 1 | (b->at < b->n ? b->bit[b->at] : 0);
    }
    return b->is_reader ? read : value;
}

static uint32_t size_code(uint32_t mib)
{
    unsigned log = 31;

    if (!mib)
        return 0;
    while (!(mib >> log))
        log--;
    return 1 + 2 * log + (log && mib >> (log - 1) & 1);
}

static uint32_t size_of_code(uint32_t code)
{
    uint64_t mib = code ? UINT64_C(1) << (code - 1) / 2 : 0;

    return (uint32_t)(code && (code - 1) % 2 ? mib + mib / 2 : mib);
}

static uint32_t speed(struct bits *b, uint32_t mt_s)
{
    return field(b, 7, (uint32_t)min_u64((mt_s + SPEED_UNIT / 2) / SPEED_UNIT, SPEED_MAX)) *
           SPEED_UNIT;
}

/* In `width` bits. A number too large for them follows in COUNT_BITS, and they are all ones. */
static void count(struct bits *b, unsigned width, uint16_t *value)
{
    uint32_t most = (UINT32_C(1) << width) - 1;
    uint32_t n = field(b, width, (uint32_t)min_u64(*value, most));

    *value = (uint16_t)(n == most ? field(b, COUNT_BITS, *value) : n);
}

static void run(struct bits *b, struct diagnosis_run *r, unsigned n_modules)
{
    bool not_started;

    r->at.is_raised = field(b, 1, r->at.is_raised);
    not_started = field(b, 1, r->outcome == DIAGNOSIS_NOT_STARTED);
    r->outcome = not_started ? DIAGNOSIS_NOT_STARTED : DIAGNOSIS_RAN;
    r->always = field(b, 1, r->always);
    count(b, 8, &r->passes);
    count(b, 3, &r->failed);
    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX && b->is_reader; i++)
        r->at.slot_of[i] = DIAGNOSIS_ABSENT;
    for (unsigned i = 0; i < n_modules; i++) {
        uint32_t slot = r->at.slot_of[i];

        slot = field(b, 5, slot == DIAGNOSIS_ABSENT ? SLOT_ABSENT : slot);
        r->at.slot_of[i] = (uint8_t)(slot == SLOT_ABSENT ? DIAGNOSIS_ABSENT : slot);
    }
}

/* False: another version. */
static bool fields(struct bits *b, struct diagnosis *d)
{
    if (field(b, 3, VERSION) != VERSION)
        return false;
    d->kind = (enum diagnosis_kind)field(b, 2, d->kind);
    d->settings_stayed = (uint8_t)field(b, 2, (uint32_t)min_u64(d->settings_stayed, 3));
    d->n_slots = 1 + field(b, 5, d->n_slots - 1);
    d->n_modules = 1 + field(b, 3, d->n_modules - 1);
    d->first_mt_s = speed(b, d->first_mt_s);
    d->jedec_mt_s = speed(b, d->jedec_mt_s);
    for (unsigned i = 0; i < d->n_modules; i++) {
        d->module[i].id = (uint16_t)field(b, 16, d->module[i].id);
        d->module[i].size_mib = size_of_code(field(b, 6, size_code(d->module[i].size_mib)));
    }
    d->n_runs = 1 + field(b, 4, d->n_runs - 1);
    for (unsigned i = 0; i < d->n_runs; i++)
        run(b, &d->run[i], d->n_modules);
    return true;
}

void diagnosis_append_code(const struct diagnosis *d, struct fmt_buffer *out)
{
    struct diagnosis copy = *d; /* the walk is for both directions */
    struct bits b = { 0 };
    unsigned n;

    fields(&b, &copy);
    field(&b, CRC_BITS, crc32c(b.bit, b.at) & ((1u << CRC_BITS) - 1));
    n = (unsigned)div_up(b.at, DIGIT_BITS);
    b.is_reader = true;
    b.n = b.at;
    b.at = 0;
    for (unsigned i = 0; i < n; i++)
        fmt_append(out, "%s%c", i && i % GROUP == 0 ? "-" : "", digits[field(&b, DIGIT_BITS, 0)]);
}

static const char *find_digit(char c)
{
    c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    c = c == 'i' || c == 'l' ? '1' : c == 'o' ? '0' : c;
    return c ? strchr(digits, c) : NULL;
}

/* Why a word is not one: the end of a sentence, which may be about a character. */
struct code_fault {
    const char *what; /* NULL: nothing is wrong */
    const char *character;
};

/* Fills the bits. */
static struct code_fault take_digits(const char *code, struct bits *b)
{
    for (; *code; code++) {
        const char *digit = find_digit(*code);

        if (*code == '-')
            continue;
        if (!digit)
            return (struct code_fault){ "is not one that such a word has", code };
        if (b->at + DIGIT_BITS > BITS_MAX)
            return (struct code_fault){ .what = "it is too long" };
        field(b, DIGIT_BITS, (uint32_t)(digit - digits));
    }
    return (struct code_fault){ .what = b->at ? NULL : "it is empty" };
}

/* After the fields: the checksum, and zeros. */
static const char *check_end(struct bits *b, const struct diagnosis *d)
{
    unsigned end = b->at;

    if (end + CRC_BITS > b->n)
        return "it is too short, or a character is mistyped";
    if (b->n - end - CRC_BITS >= DIGIT_BITS)
        return "it is too long, or a character is mistyped";
    if (field(b, CRC_BITS, 0) != (crc32c(b->bit, end) & ((1u << CRC_BITS) - 1)) ||
        field(b, b->n - b->at, 0) != 0)
        return "a character is mistyped, or two are exchanged";
    return diagnosis_is_sane(d) ? NULL : "it holds what cannot be";
}

static struct code_fault read_code(const char *code, struct diagnosis *ret_diagnosis)
{
    struct bits b = { 0 };
    struct code_fault fault = take_digits(code, &b);

    *ret_diagnosis = (struct diagnosis){ 0 };
    if (fault.what)
        return fault;
    b.is_reader = true;
    b.n = b.at;
    b.at = 0;
    if (!fields(&b, ret_diagnosis))
        return (struct code_fault){
            .what = "it is of another version of okram, or its first character is "
                    "mistyped"
        };
    return (struct code_fault){ .what = check_end(&b, ret_diagnosis) };
}

enum status diagnosis_read_code(const char *code, struct diagnosis *ret_diagnosis)
{
    struct diagnosis d;

    if (read_code(code, &d).what)
        return STATUS_INVALID;
    *ret_diagnosis = d;
    return STATUS_OK;
}

void diagnosis_append_code_fault(const char *code, struct fmt_buffer *out)
{
    struct diagnosis d;
    struct code_fault fault = read_code(code, &d);

    if (fault.character)
        fmt_append(out, "its character %zu, \"%c\", ", (size_t)(fault.character - code) + 1,
                   *fault.character);
    if (fault.what)
        fmt_append(out, "%s", fault.what);
}
