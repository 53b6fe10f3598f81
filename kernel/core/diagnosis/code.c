// SPDX-License-Identifier: MIT
#include "diagnosis/code.h"

#include "lib/crc32c.h"
#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/string.h"

#define DIGIT_BITS  5
#define GROUP       4
#define CRC_BITS    20
#define SLOT_ABSENT 31u
#define COUNT_BITS  16
#define CHAR_BITS   7
#define SPEED_UNIT  100u
#define SPEED_MAX   127u

#define WRONG_LENGTH "it is too short or too long, or a character is wrong"

#define TYPED_BITS_MAX                                                                             \
    (30 + 23 * DIAGNOSIS_MODULES_MAX + 4 +                                                         \
     DIAGNOSIS_RUNS_MAX * (14 + 2 * COUNT_BITS + 5 * DIAGNOSIS_MODULES_MAX) + CRC_BITS +           \
     DIGIT_BITS)
#define BITS_MAX                                                                                   \
    (TYPED_BITS_MAX + 1 +                                                                          \
     CHAR_BITS * (DIAGNOSIS_TESTS + DIAGNOSIS_MARCH - 2 +                                          \
                  DIAGNOSIS_SLOTS_MAX * (DIAGNOSIS_SLOT_NAME - 1) +                                \
                  DIAGNOSIS_MODULES_MAX * (DIAGNOSIS_SERIAL + DIAGNOSIS_PART - 2)))

#define CHARS(bits) (((bits) + DIGIT_BITS - 1) / DIGIT_BITS * (GROUP + 1) / GROUP + 1)
_Static_assert(CHARS(TYPED_BITS_MAX) <= DIAGNOSIS_CODE_MAX && CHARS(BITS_MAX) <= DIAGNOSIS_KEPT_MAX,
               "any state fits");

/* The versions, by whether there are names, and suspects. */
static const uint8_t versions[2][2] = { { 2, 5 }, { 4, 6 } };

static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

/* One walk for both directions, so that they cannot differ. */
struct bits {
    bool is_reader;
    unsigned at, n; /* n: of a reader */
    uint8_t byte[BITS_MAX / 8 + 1];
};

static uint32_t field(struct bits *b, unsigned width, uint32_t value)
{
    uint32_t read = 0;

    for (unsigned i = width; i-- > 0; b->at++) {
        if (!b->is_reader)
            b->byte[b->at / 8] |= (uint8_t)((value >> i & 1) << b->at % 8);
        else
            read = read << 1 | (b->at < b->n ? b->byte[b->at / 8] >> b->at % 8 & 1 : 0);
    }
    return b->is_reader ? read : value;
}

static void read_again(struct bits *b)
{
    b->is_reader = true;
    b->n = b->at;
    b->at = 0;
}

static uint32_t checksum(const struct bits *b)
{
    uint32_t crc = ~0u;

    for (unsigned i = 0; i < b->at; i++) {
        uint8_t bit = b->byte[i / 8] >> i % 8 & 1;

        crc = crc32c_by_nibbles(crc, &bit, 1);
    }
    return ~crc & ((1u << CRC_BITS) - 1);
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

static void slots(struct bits *b, struct arrangement *at, unsigned n_modules)
{
    if (b->is_reader)
        memset(at->slot_of, DIAGNOSIS_ABSENT, sizeof(at->slot_of));
    for (unsigned i = 0; i < n_modules; i++) {
        uint32_t slot = at->slot_of[i];

        slot = field(b, 5, slot == DIAGNOSIS_ABSENT ? SLOT_ABSENT : slot);
        at->slot_of[i] = (uint8_t)(slot == SLOT_ABSENT ? DIAGNOSIS_ABSENT : slot);
    }
}

static void run(struct bits *b, struct diagnosis_run *r, unsigned n_modules)
{
    r->at.is_raised = field(b, 1, r->at.is_raised);
    field(b, 1, !r->passes); /* not started: the passes say so, too */
    r->always = field(b, 1, r->always);
    count(b, 8, &r->passes);
    count(b, 3, &r->failed);
    slots(b, &r->at, n_modules);
}

/* What is not printable ASCII becomes '?'. */
static void text(struct bits *b, char *value, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        uint32_t c = field(b, CHAR_BITS, (uint8_t)value[i]);

        value[i] = (char)(!c || (c >= ' ' && c <= '~') ? c : '?');
        if (!c)
            return;
    }
    value[size - 1] = 0;
}

static void names(struct bits *b, struct diagnosis *d)
{
    struct diagnosis_names *n = &d->names;

    d->is_offered = field(b, 1, d->is_offered);
    text(b, d->tests, sizeof(d->tests));
    text(b, d->march, sizeof(d->march));
    for (unsigned i = 0; i < d->n_slots && i < DIAGNOSIS_SLOTS_MAX; i++)
        text(b, n->slot[i], sizeof(n->slot[i]));
    for (unsigned i = 0; i < d->n_modules; i++) {
        text(b, n->serial[i], sizeof(n->serial[i]));
        text(b, n->part[i], sizeof(n->part[i]));
    }
}

/* None at all: the kind, which has no more room in its own field, is a CPU. */
static void suspects(struct bits *b, struct diagnosis *d)
{
    d->suspects = (uint8_t)field(b, d->n_modules, d->suspects);
    if (!d->suspects)
        d->kind = DIAGNOSIS_KIND_CPU;
    d->suspicion = (enum diagnosis_suspicion)field(b, 1, d->suspicion);
}

/* False: another version. */
static bool fields(struct bits *b, bool with_names, struct diagnosis *d)
{
    uint32_t version =
        field(b, 3, versions[with_names][d->suspects || d->kind == DIAGNOSIS_KIND_CPU]);
    bool with_suspects = version == versions[0][1] || version == versions[1][1];

    with_names = version == versions[1][0] || version == versions[1][1];
    if (!with_names && !with_suspects && version != versions[0][0])
        return false;
    d->kind = (enum diagnosis_kind)field(b, 2, d->kind);
    d->settings_stayed = (uint8_t)field(b, 2, d->settings_stayed);
    d->n_slots = 1 + field(b, 5, d->n_slots - 1);
    d->n_modules = 1 + field(b, 3, d->n_modules - 1);
    d->first_mt_s = speed(b, d->first_mt_s);
    d->jedec_mt_s = speed(b, d->jedec_mt_s);
    for (unsigned i = 0; i < d->n_modules; i++) {
        d->module[i].id = (uint16_t)field(b, 16, d->module[i].id);
        d->module[i].size_mib = size_of_code(field(b, 6, size_code(d->module[i].size_mib)));
    }
    if (with_suspects)
        suspects(b, d);
    d->n_runs = 1 + field(b, 4, d->n_runs - 1);
    for (unsigned i = 0; i < d->n_runs; i++)
        run(b, &d->run[i], d->n_modules);
    if (with_names)
        names(b, d);
    return true;
}

void diagnosis_append_code(const struct diagnosis *d, bool with_names, struct fmt_buffer *out)
{
    struct diagnosis copy = *d;
    struct bits b = { 0 };
    unsigned n;

    (void)fields(&b, with_names, &copy);
    field(&b, CRC_BITS, checksum(&b));
    n = (unsigned)div_up(b.at, DIGIT_BITS);
    read_again(&b);
    for (unsigned i = 0; i < n; i++)
        fmt_append(out, "%s%c", i && i % GROUP == 0 ? "-" : "", digits[field(&b, DIGIT_BITS, 0)]);
}

/* Fills the bits; returns why they are none, or NULL. */
static const char *take_digits(const char *code, struct bits *b)
{
    for (; *code; code++) {
        char c = (char)ascii_lower((unsigned char)*code);
        const char *digit = strchr(digits, c == 'i' || c == 'l' ? '1' : c == 'o' ? '0' : c);

        if (*code == '-')
            continue;
        if (!digit)
            return "it has a character that no such word has";
        if (b->at + DIGIT_BITS > BITS_MAX)
            return WRONG_LENGTH;
        field(b, DIGIT_BITS, (uint32_t)(digit - digits));
    }
    return b->at ? NULL : "it is empty";
}

const char *diagnosis_read_code(const char *code, struct diagnosis *ret_diagnosis)
{
    struct diagnosis d = { 0 };
    struct bits b = { 0 };
    const char *why = take_digits(code, &b);
    uint32_t crc;

    if (why)
        return why;
    read_again(&b);
    if (!fields(&b, false, &d))
        return "it is of another version of okram, or its first character is wrong";
    if (b.at + CRC_BITS > b.n || b.n - b.at - CRC_BITS >= DIGIT_BITS)
        return WRONG_LENGTH;
    crc = checksum(&b);
    if (field(&b, CRC_BITS, 0) != crc || field(&b, b.n - b.at, 0))
        return "its checksum is wrong: a character is wrong, or two are exchanged";
    if (!diagnosis_is_sane(&d))
        return "it holds what cannot be";
    *ret_diagnosis = d;
    return NULL;
}
