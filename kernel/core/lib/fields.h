// SPDX-License-Identifier: MIT
/*
 * The fields of a JSON object as rows of a table: its name, where its value is in a struct, how it
 * is written, when it is there, and what it means. fields_write() walks the rows; `make json-docs`
 * makes the schema and the tables of docs/json.md of them.
 *
 *   { FIELD(event_test, hammered_bytes), IF(event_test, hammers),
 *     DOC_IN("bytes", "size of the regions that were hammered", .there = "of row-hammer") },
 *
 * FIELD and AT find the type of the member: an integer, a bool, a double, a text. HEX, WORDS and
 * DECIMALS say how it is written. A row whose value is not simply there has a function (BY).
 * THROUGH follows a pointer; where that is NULL, there is no value.
 */
#pragma once

#include "lib/json.h"

enum field_type {
    FIELD_ELSE, /* no member of these types */
    FIELD_INTEGER,
    FIELD_BOOL,
    FIELD_NUMBER,
    FIELD_TEXT,  /* const char *; NULL is null */
    FIELD_CHARS, /* char[] */
    FIELD_OBJECT,
    FIELD_LIST,
    FIELD_SPAN, /* struct span, as ["base","end"] */
};

enum field_form { FIELD_PLAIN, FIELD_HEX, FIELD_PAGE, FIELD_WORD, FIELD_MILLI };

/* What is written of a value that there is not: 0, "", NULL, no elements, or less than `min`. */
enum field_none { FIELD_AS_IT_IS, FIELD_NULL, FIELD_LEFT_OUT };

struct field {
    const char *name; /* NULL: an element of a list that is no object */
    enum field_type type : 8;
    enum field_form form : 8;
    enum field_none none : 8;
    uint8_t decimals;  /* of a number */
    uint16_t through;  /* 1 + where the pointer is; 0: the struct itself */
    uint16_t at, size; /* in the struct, or behind the pointer; size of a list: in all */
    uint16_t count;    /* of a list: 1 + where the number of its elements is */
    uint16_t stride;   /* of a list, from element to element */
    uint16_t given;    /* 1 + where a member is that says whether there is a value */
    uint8_t count_size, given_size;
    enum field_none not_given : 8; /* FIELD_NULL, or it is left out */
    enum field_given { GIVEN_IF_ANY, GIVEN_IF, GIVEN_UNLESS, GIVEN_BY_BIT } by : 8;
    uint8_t given_value; /* of that member; or the bit's number */
    bool in_place;       /* the list: else a pointer to it */
    uint8_t n_rows, n_words;
    uint16_t min;
    const struct field *rows;            /* of an object or of elements */
    const char *(*word)(unsigned value); /* FIELD_WORD */
    void (*write)(struct json *j, const struct field *f, const void *object); /* BY */
    bool (*when)(const void *object); /* else it is left out */
#ifdef FIELD_DOCS
    const char *unit, *means;
    const char *there;                         /* when it is there, or else why it is null */
    const char *one_of;                        /* words of a text, with | between */
    const char *pattern;                       /* of a text */
    const char *formerly;                      /* its name in older reports */
    const char *(*word_means)(unsigned value); /* for people */
    uint32_t max;
    bool since;    /* not in older reports */
    bool may_lack; /* it may be left out, by whoever writes the object */
#endif
};

#ifdef FIELD_DOCS
#define DOC(sentence, ...)             .means = sentence, ##__VA_ARGS__
#define DOC_IN(of_unit, sentence, ...) .unit = of_unit, DOC(sentence, ##__VA_ARGS__)
#else
#define DOC(...)
#define DOC_IN(...)
#endif

#define MEMBER(s, m) (((const struct s *)0)->m)
#define MEMBER_TYPE(s, m)                                                                          \
    _Generic(MEMBER(s, m),                                                                         \
        bool: FIELD_BOOL,                                                                          \
        double: FIELD_NUMBER,                                                                      \
        const char *: _Generic(&MEMBER(s, m), const char *const *: FIELD_TEXT, default: FIELD_CHARS), \
        uint8_t: FIELD_INTEGER,                                                                    \
        uint16_t: FIELD_INTEGER,                                                                   \
        uint32_t: FIELD_INTEGER,                                                                   \
        uint64_t: FIELD_INTEGER,                                                                   \
        int32_t: FIELD_INTEGER,                                                                    \
        default: FIELD_ELSE)

#define PLACE(s, m) .at = offsetof(struct s, m), .size = sizeof(MEMBER(s, m))
#define AT(s, m)    .type = MEMBER_TYPE(s, m), PLACE(s, m)
/* The pointer must be one to that struct: else the comparison does not compile. */
#define FOLLOW(s, p, t)                                                                            \
    .through = 1 + offsetof(struct s, p) + 0 * sizeof(MEMBER(s, p) == (const struct t *)0)
#define FIELD(s, m)         #m, AT(s, m)
#define THROUGH(s, p, t, m) FOLLOW(s, p, t), AT(t, m)

#define HEX                   .form = FIELD_HEX
#define PAGE                  .form = FIELD_PAGE /* of an address */
#define MILLI                 .form = FIELD_MILLI
#define DECIMALS(n)           .decimals = n
#define WORDS(of, n)          .form = FIELD_WORD, .word = of, .n_words = n
#define MIN(n)                .min = n
#define ROWS(of)              .rows = of, .n_rows = sizeof(of) / sizeof(of[0])
#define BY(of_type, function) .type = of_type, .write = function

#define OBJECT(s, m, of)           .type = FIELD_OBJECT, PLACE(s, m), ROWS(of)
#define OBJECT_BEHIND(s, p, t, of) .type = FIELD_OBJECT, FOLLOW(s, p, t), ROWS(of)
#define LIST(s, m, n, of)                                                                          \
    .type = FIELD_LIST, PLACE(s, m), .stride = sizeof(MEMBER(s, m)[0]),                            \
    .count = 1 + offsetof(struct s, n), .count_size = sizeof(MEMBER(s, n)),                        \
    .in_place =                                                                                    \
        !__builtin_types_compatible_p(__typeof__(MEMBER(s, m)), __typeof__(&MEMBER(s, m)[0])),     \
    ROWS(of)

/* A value that there is not is null, or left out. */
#define OR_NULL .none = FIELD_NULL
#define IF_ANY  .none = FIELD_LEFT_OUT
/* By another member of the same struct. */
#define GIVEN(s, m)        .given = 1 + offsetof(struct s, m), .given_size = sizeof(MEMBER(s, m))
#define IF(s, m)           GIVEN(s, m), .not_given = FIELD_LEFT_OUT
#define IF_IS(s, m, v)     IF(s, m), .by = GIVEN_IF, .given_value = v
#define IF_IS_NOT(s, m, v) IF(s, m), .by = GIVEN_UNLESS, .given_value = v
#define IF_BIT(s, m, bit)  IF(s, m), .by = GIVEN_BY_BIT, .given_value = bit
#define NULL_UNLESS(s, m)  GIVEN(s, m), .not_given = FIELD_NULL
#define NULL_IF(s, m)      NULL_UNLESS(s, m), .by = GIVEN_IF
#define WHEN(function)     .when = function

void fields_write(struct json *j, const struct field *rows, size_t n, const void *object);
