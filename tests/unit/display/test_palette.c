// SPDX-License-Identifier: MIT
#include <math.h>

#include "display/grid.h"
#include "screen/screen_section.h"
#include "tests/unit/unit.h"

struct rgb {
    double r, g, b; /* linear, 0 to 1 */
};

/* IEC 61966-2-1. */
static double linear(uint8_t channel)
{
    double c = channel / 255.0;

    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double encoded(double c)
{
    if (c <= 0)
        return 0;
    return 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055);
}

static struct rgb colour(unsigned number)
{
    const uint8_t *c = palette_rgb[number];

    return (struct rgb){ linear(c[0]), linear(c[1]), linear(c[2]) };
}

/* WCAG 2.1, relative luminance and contrast ratio. */
static double luminance(struct rgb c)
{
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

static double contrast(uint8_t cell)
{
    double a = luminance(colour(cell & 15)), b = luminance(colour(cell >> 4));

    return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

/* The results' colours: white on red, white on green, black on brown. */
static const uint8_t results[] = { COLOUR(WHITE, RED), COLOUR(WHITE, GREEN), COLOUR(BLACK, BROWN) };

TEST(all_text_is_readable)
{
    static const uint8_t used[] = { PLAIN, STRONG, DIM, TITLE, HEADING, GOOD, BAD, WARN, KEYS };

    for (size_t i = 0; i < sizeof(used); i++)
        assert_true(contrast(used[i]) >= 4.5);
    for (size_t i = 0; i < sizeof(results); i++)
        assert_true(contrast(results[i]) >= 4.5);
}

/* What protanopes and deuteranopes see of it: Viénot, Brettel and Mollon 1999. */
static struct rgb as_protanope(struct rgb c)
{
    double yellow = 0.11238 * c.r + 0.88762 * c.g;

    return (struct rgb){ yellow, yellow, c.b + 0.00401 * (c.r - c.g) };
}

static struct rgb as_deuteranope(struct rgb c)
{
    double yellow = 0.29275 * c.r + 0.70725 * c.g;

    return (struct rgb){ yellow, yellow, c.b - 0.02234 * (c.r - c.g) };
}

static double distance(struct rgb a, struct rgb b)
{
    double r = encoded(a.r) - encoded(b.r), g = encoded(a.g) - encoded(b.g),
           blue = encoded(a.b) - encoded(b.b);

    return sqrt(r * r + g * g + blue * blue);
}

TEST(results_differ_for_the_colour_blind)
{
    for (size_t i = 0; i < sizeof(results); i++)
        for (size_t j = 0; j < i; j++) {
            struct rgb a = colour(results[i] >> 4), b = colour(results[j] >> 4);

            assert_true(distance(a, b) > 60);
            assert_true(distance(as_protanope(a), as_protanope(b)) > 60);
            assert_true(distance(as_deuteranope(a), as_deuteranope(b)) > 60);
        }
}
