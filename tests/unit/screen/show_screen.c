// SPDX-License-Identifier: MIT
/*
 * Draws a scene on the host, to be looked at: show_screen SCENE WIDTHxHEIGHT > picture.ppm, or
 * show_screen SCENE ansi in a terminal; with keys after it, the page that these show. Without
 * arguments it names the scenes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console/text_screens.h"
#include "display/framebuffer.h"
#include "screen/scenes.h"
#include "screen/screen.h"

static void write_stdout(void *ctx, const char *text, size_t n)
{
    fwrite(text, 1, n, stdout);
}

static void write_picture(const uint8_t *pixels, unsigned width, unsigned height)
{
    printf("P6 %u %u 255\n", width, height);
    for (size_t i = 0; i < (size_t)width * height; i++) {
        const uint8_t *p = pixels + 4 * i; /* little-endian 0x00rrggbb */

        fwrite((uint8_t[]){ p[2], p[1], p[0] }, 1, 3, stdout);
    }
}

static void show(struct screen *screen, const struct scene *scene, const char *keys)
{
    scene_play(scene, (struct event_sink){ screen_receive, screen });
    for (; *keys; keys++) {
        if (*keys == ' ')
            screen_next_part(screen);
        else
            screen_turn(screen, *keys == 'b'   ? SCREEN_BANDWIDTH
                                : *keys == 'c' ? SCREEN_CODE
                                               : SCREEN_DETAILS);
    }
}

int main(int argc, char **argv)
{
    static struct screen screen;
    static struct framebuffer framebuffer;
    static struct ansi ansi;
    const struct scene *scene = argc == 3 || argc == 4 ? scene_find(argv[1]) : NULL;
    const char *keys = argc == 4 ? argv[3] : "";
    unsigned width, height;
    uint8_t *pixels;

    if (!scene) {
        fprintf(stderr, "show_screen SCENE WIDTHxHEIGHT|ansi [KEYS], SCENE one of:\n");
        for (size_t i = 0; i < n_scenes; i++)
            fprintf(stderr, "  %s\n", scenes[i].name);
        return 2;
    }
    screen_init(&screen, "on the serial port");
    if (strcmp(argv[2], "ansi") == 0) {
        ansi_init(&ansi, (struct writer){ write_stdout, NULL });
        screen_add_view(&screen, ansi_backend(&ansi), 0);
        show(&screen, scene, keys);
        return 0;
    }
    if (sscanf(argv[2], "%ux%u", &width, &height) != 2)
        return 2;
    pixels = calloc((size_t)width * height, 4);
    if (framebuffer_init(&framebuffer,
                         &(struct boot_framebuffer){ .width = width,
                                                     .height = height,
                                                     .pitch = width * 4,
                                                     .bits_per_pixel = 32,
                                                     .red_mask = 0xff0000,
                                                     .green_mask = 0xff00,
                                                     .blue_mask = 0xff },
                         pixels, FRAMEBUFFER_TURN_0) != STATUS_OK)
        return 2;
    screen_add_view(&screen, framebuffer_backend(&framebuffer), 0);
    show(&screen, scene, keys);
    write_picture(pixels, width, height);
    return 0;
}
