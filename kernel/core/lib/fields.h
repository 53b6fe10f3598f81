// SPDX-License-Identifier: MIT
/*
 * The fields of a JSON object as rows of a table: its name, where its value is in a struct, how it
 * is written, when it is there, and what it means. lib/field_rows.h has the words of a row.
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
    bool may_lack; /* the writer of the object may leave it out */
#endif
};

void fields_write(struct json *j, const struct field *rows, size_t n, const void *object);
