// SPDX-License-Identifier: MIT
/* A march test in notation. What is understood is written down again and must mean the same. */
#include "sweep/march.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lib/fmt.h"

/* The longest that march_parse takes, without spaces. */
#define TEXT_MAX (MARCH_ELEMENTS_MAX * (MARCH_OPS_MAX + 4) * 4)

static void write_element(struct fmt_buffer *b, const struct march_element *e)
{
    static const char *const names[] = { "any", "up", "down", "del" };

    fmt_append(b, "%s(", names[e->kind]);
    if (e->kind == MARCH_PAUSE)
        fmt_append(b, "%u", e->pause_ms);
    for (uint32_t i = 0; i < e->n_ops; i++)
        fmt_append(b, "%s%c%d", i ? "," : "", e->op[i].write ? 'w' : 'r', e->op[i].complement);
    fmt_append(b, ")");
}

static void check_march(const struct march *march)
{
    char text[TEXT_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    struct march again;
    struct march_error error;

    CHECK(march->n_elements >= 1 && march->n_elements <= MARCH_ELEMENTS_MAX);
    for (uint32_t i = 0; i < march->n_elements; i++) {
        const struct march_element *e = &march->element[i];

        CHECK(e->n_ops <= MARCH_OPS_MAX && (e->kind == MARCH_PAUSE) == (e->n_ops == 0));
        CHECK(e->pause_ms <= MARCH_PAUSE_MS_MAX && (e->kind == MARCH_PAUSE) == (e->pause_ms > 0));
        fmt_append(&b, "%s", i ? ";" : "");
        write_element(&b, e);
    }
    CHECK(!b.cut);
    CHECK(march_parse(text, &again, &error) == MARCH_OK);
    CHECK(memcmp(&again, march, sizeof(again)) == 0);
    CHECK(march_sweeps(march) <= MARCH_ELEMENTS_MAX * MARCH_OPS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    struct march march;
    struct march_error error = { 0 };
    enum march_status status = march_parse(text, &march, &error);

    if (status == MARCH_OK)
        check_march(&march);
    else
        CHECK(error.status == status && error.position <= strlen(text) && error.expected);
    free(text);
    return 0;
}
