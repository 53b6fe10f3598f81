// SPDX-License-Identifier: MIT
/*
 * What a row of a table of fields (lib/fields.h) is made of; for the files with tables alone.
 *
 *   { FIELD(event_test, hammered_bytes), IF(event_test, hammers),
 *     DOC_IN("bytes", "size of the regions that were hammered", .there = "of row-hammer") },
 *
 * FIELD and AT find the type of the member: an integer, a bool, a double, a text. HEX, WORDS and
 * DECIMALS say how it is written. A row whose value is not simply there has a function (BY).
 * THROUGH follows a pointer; where that is NULL, there is no value. What a row means (DOC) is in
 * programs of the host only: `make json-docs` makes the schema and docs/json.md of it.
 */
#pragma once

#include "lib/fields.h"

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
