// SPDX-License-Identifier: MIT
#include "tests/coverage/result.h"

#include <string.h>

#define NAME_WIDTH 42
#define LEAK_TITLE "leak by neighbours, % in 1, 4, 16 passes"
#define ANY        UINT32_MAX

const uint32_t result_passes[RESULT_PASSES] = { 1, 4, RESULT_PASSES_MAX };

struct result result_make(const char *name, uint32_t sweeps)
{
    struct result r = { .sweeps = sweeps };

    snprintf(r.name, sizeof(r.name), "%s", name);
    memset(r.detected, true, sizeof(r.detected));
    return r;
}

static uint32_t column_of(uint32_t row)
{
    uint32_t c = N_COLUMNS - 1;

    while (columns[c].first > row)
        c--;
    return c;
}

void result_judge(struct result *r, const struct world *w, uint32_t n_rounds, bool unordered)
{
    for (uint32_t i = 0; i < w->n_instances; i++) {
        const struct instance *instance = &w->instance[i];
        const bool found = instance->found_round < n_rounds;
        const uint32_t c = column_of(instance->row);

        if (!unordered && instance->unordered)
            continue;
        r->n[c]++;
        r->n_found[c] += found;
        if (!found)
            r->detected[instance->row] = false;
    }
}

void result_judge_leaks(struct result *r, const uint32_t *found_pass, uint32_t n)
{
    r->n_leaks += n;
    for (uint32_t p = 0; p < RESULT_PASSES; p++) {
        for (uint32_t i = 0; i < n; i++)
            r->n_leaks_found[p] += found_pass[i] < result_passes[p];
    }
}

uint32_t result_count(const struct result *r, enum column column)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < columns[column].n; i++)
        count += r->detected[columns[column].first + i];
    return count;
}

/* In tenths of a per cent: 1000 only if all were. */
static uint32_t share(uint32_t n_found, uint32_t n)
{
    return n ? (uint32_t)(UINT64_C(1000) * n_found / n) : 0;
}

static void format_share(uint32_t n_found, uint32_t n, char ret_text[16])
{
    uint32_t tenths = share(n_found, n);

    snprintf(ret_text, 16, tenths == 1000 ? "100" : "%u.%u", tenths / 10, tenths % 10);
}

static void format_leaks(const struct result *r, char ret_text[64])
{
    char text[RESULT_PASSES][16];

    if (!r->n_leaks_found[RESULT_PASSES - 1]) {
        snprintf(ret_text, 64, "0");
        return;
    }
    for (uint32_t p = 0; p < RESULT_PASSES; p++)
        format_share(r->n_leaks_found[p], r->n_leaks, text[p]);
    snprintf(ret_text, 64, "%s, %s, %s", text[0], text[1], text[2]);
}

static void cell_share(const struct result *r, uint32_t column, char ret_text[16])
{
    format_share(r->n_found[column], r->n[column], ret_text);
}

static void cell_count(const struct result *r, uint32_t column, char ret_text[16])
{
    if (column == COLUMN_ANYWHERE)
        cell_share(r, column, ret_text);
    else
        snprintf(ret_text, 16, "%u", result_count(r, column));
}

static void cell_count_of_all(const struct result *r, uint32_t column, char ret_text[16])
{
    if (column == COLUMN_ANYWHERE)
        cell_share(r, column, ret_text);
    else
        snprintf(ret_text, 16, "%u/%u", result_count(r, column), columns[column].n);
}

typedef void (*cell_fn)(const struct result *r, uint32_t column, char ret_text[16]);

static void print(const struct result *results, size_t n, cell_fn format, FILE *to)
{
    fprintf(to, "%-*s sweeps", NAME_WIDTH, "");
    for (uint32_t c = 0; c < N_COLUMNS; c++)
        fprintf(to, "  %s", columns[c].title);
    fprintf(to, "  %s\n", LEAK_TITLE);
    for (size_t i = 0; i < n; i++) {
        char leaks[64];

        fprintf(to, "%-*s %6u", NAME_WIDTH, results[i].name, results[i].sweeps);
        for (uint32_t c = 0; c < N_COLUMNS; c++) {
            char cell[16];

            format(&results[i], c, cell);
            fprintf(to, "  %*s", (int)strlen(columns[c].title), cell);
        }
        format_leaks(&results[i], leaks);
        fprintf(to, "  %s\n", leaks);
    }
}

static void print_markdown(const struct result *results, size_t n, cell_fn format, FILE *to)
{
    fprintf(to, "| test | sweeps |");
    for (uint32_t c = 0; c < N_COLUMNS; c++) {
        fprintf(to, " %s", columns[c].title);
        if (format == cell_count && c != COLUMN_ANYWHERE)
            fprintf(to, " /%u", columns[c].n);
        fprintf(to, " |");
    }
    fprintf(to, " %s |\n|---|---|", LEAK_TITLE);
    for (uint32_t c = 0; c < N_COLUMNS; c++)
        fprintf(to, "---|");
    fprintf(to, "---|\n");
    for (size_t i = 0; i < n; i++) {
        char leaks[64];

        fprintf(to, "| %s | %u |", results[i].name, results[i].sweeps);
        for (uint32_t c = 0; c < N_COLUMNS; c++) {
            char cell[16];

            format(&results[i], c, cell);
            fprintf(to, " %s |", cell);
        }
        format_leaks(&results[i], leaks);
        fprintf(to, " %s |\n", leaks);
    }
}

void results_print_shares(const struct result *results, size_t n, FILE *to)
{
    print(results, n, cell_share, to);
}

void results_markdown_shares(const struct result *results, size_t n, FILE *to)
{
    print_markdown(results, n, cell_share, to);
}

void results_print(const struct result *results, size_t n, FILE *to)
{
    print(results, n, cell_count_of_all, to);
}

void results_markdown(const struct result *results, size_t n, FILE *to)
{
    print_markdown(results, n, cell_count, to);
}

bool results_agree(const struct result *a, const struct result *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(a[i].name, b[i].name) != 0 || a[i].sweeps != b[i].sweeps ||
            memcmp(a[i].detected, b[i].detected, sizeof(a[i].detected)) != 0 ||
            memcmp(a[i].n_leaks_found, b[i].n_leaks_found, sizeof(a[i].n_leaks_found)) != 0)
            return false;
    }
    return true;
}

static const struct result *find(const struct result *results, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(results[i].name, name) == 0)
            return &results[i];
    }
    return NULL;
}

void results_emit_sweeps(const struct result *results, size_t n, FILE *to)
{
    const struct result *c = find(results, n, "march-c-"), *mss = find(results, n, "march-mss");
    const struct result *inversions = find(results, n, "moving inversions, and complement");
    const struct result *standard = find(results, n, "standard");

    if (!c || !mss || !inversions)
        return;
    fprintf(to, "%u of %u two-cell faults: %u sweeps of march-c-, %u of moving inversions.\n",
            result_count(c, COLUMN_TWO_CELL), N_TWO_CELL, c->sweeps, inversions->sweeps);
    fprintf(to, "%u of %u: %u sweeps of march-mss; moving inversions never detect more than %u.\n",
            result_count(mss, COLUMN_TWO_CELL), N_TWO_CELL, mss->sweeps,
            result_count(inversions, COLUMN_TWO_CELL));
    if (standard)
        fprintf(to, "A standard pass: %u sweeps. memtest86+ 8.10: 3082, its first pass 1130.\n",
                standard->sweeps);
}

void results_list(const struct result *results, size_t n, FILE *to)
{
    for (size_t i = 0; i < n; i++) {
        for (uint32_t row = 0; row < ROW_WORD; row++) {
            char name[64];

            row_name(row, name, sizeof(name));
            fprintf(to, "%d\t%s\t%s\n", results[i].detected[row], results[i].name, name);
        }
    }
}

/* The literature's table (docs/coverage.md), memtest86+'s way, and what the levels claim. */
static const struct {
    const char *name;
    bool is_level;
    uint32_t count[N_COLUMNS];
} expected[] = {
    { "mats+", false, { 7, 2, 59, 0, ANY, 4, 0, 0, ANY, ANY } },
    { "march-y", false, { 10, 4, 152, 12, ANY, 4, 0, 0, ANY, ANY } },
    { "march-c-", false, { 8, 24, 340, 192, ANY, 4, 0, 0, 10, 10 } },
    { "pmovi", false, { 10, 25, 374, 214, ANY, 4, 0, 0, 10, 10 } },
    { "march-mss", false, { 12, 36, 446, 252, ANY, 4, 0, 0, 4, 4 } },
    { "march-mss+", false, { 12, 36, 446, 252, ANY, 4, 0, 0, 4, 4 } },
    { "march-ss", false, { 12, 36, 450, 252, ANY, 4, 0, 0, 10, 10 } },
    { "march-raw", false, { 12, 36, 450, 264, ANY, 4, 1, 0, 10, 10 } },
    { "march-raw+", false, { 12, 36, 450, 268, ANY, 4, ANY, 0, 10, 10 } },
    { "march-mss, without fences", false, { 10, 28, ANY, ANY, ANY, 4, ANY, 0, ANY, ANY } },
    { "march-mss, without flushes", false, { 10, 32, ANY, ANY, ANY, 4, ANY, 0, ANY, ANY } },
    { "march-mss, plain loads and stores", false, { 8, 24, ANY, ANY, ANY, 4, ANY, 0, ANY, ANY } },
    { "moving inversions, one pattern", false, { ANY, 2, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY } },
    { "moving inversions, and complement",
      false,
      { ANY, 24, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY } },
    { "quick", true, { 8, 24, ANY, ANY, ANY, 4, ANY, ANY, 6, 6 } },
    { "standard", true, { 12, 36, ANY, ANY, ANY, 4, ANY, 2, 10, 10 } },
    { "thorough", true, { 12, 36, ANY, ANY, ANY, 4, ANY, 2, 10, 10 } },
    { "hot", true, { 12, 36, ANY, ANY, ANY, 4, ANY, 2, ANY, ANY } },
    { "stability", true, { 9, ANY, ANY, ANY, ANY, 4, ANY, ANY, ANY, ANY } },
};

/* With data that are fresh in each wait of a cell: three cells' states or their complements. */
static const struct {
    const char *name;
    uint32_t min[RESULT_PASSES]; /* tenths of a per cent */
} leaks_expected[] = {
    { "standard", { 240, 670, 980 } },
    { "thorough", { 670, 980, 1000 } },
};

static bool leaks_are_expected(const struct result *results, size_t n)
{
    bool good = true;

    for (size_t i = 0; i < sizeof(leaks_expected) / sizeof(leaks_expected[0]); i++) {
        const struct result *r = find(results, n, leaks_expected[i].name);

        for (uint32_t p = 0; r && p < RESULT_PASSES; p++) {
            uint32_t tenths = share(r->n_leaks_found[p], r->n_leaks);

            if (tenths >= leaks_expected[i].min[p])
                continue;
            printf("%s, leak by neighbours, %u passes: %u.%u %%, but %u expected\n", r->name,
                   result_passes[p], tenths / 10, tenths % 10, leaks_expected[i].min[p] / 10);
            good = false;
        }
    }
    return good;
}

bool result_is_named(const char *name, const char *names)
{
    size_t length = strlen(name);

    for (const char *at = names; (at = strstr(at, name)); at += length) {
        if ((at == names || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

bool results_expected(const struct result *results, size_t n, bool with_levels, const char *names)
{
    bool good = leaks_are_expected(results, n);

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        const struct result *r = find(results, n, expected[i].name);

        if (expected[i].is_level && !with_levels)
            continue;
        if (names && !result_is_named(expected[i].name, names))
            continue;
        if (!r) {
            printf("%s was not measured\n", expected[i].name);
            good = false;
            continue;
        }
        for (uint32_t c = 0; c < N_COLUMNS; c++) {
            uint32_t count = result_count(r, c), wanted = expected[i].count[c];

            if (wanted == ANY || count == wanted)
                continue;
            printf("%s, %s: %u, but %u expected\n", r->name, columns[c].title, count, wanted);
            good = false;
        }
    }
    return good;
}
