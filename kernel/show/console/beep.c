// SPDX-License-Identifier: MIT
#include "console/beep.h"

#include <stdint.h>

#include "arch/tsc.h"
#include "io/ports.h"

#define PIT_CHANNEL_2    0x42
#define PIT_MODE         0x43
#define MODE_SQUARE_WAVE 0xb6 /* channel 2, low byte then high byte, mode 3 */
#define PIT_HZ           1193182
#define TONE_HZ          1000

#define SYSTEM_CONTROL   0x61
#define SPEAKER_ON       0x03 /* the channel's gate, and its way to the speaker */
#define SYSTEM_WRITEABLE 0x0f /* the other bits are a state: they are written as 0 */

#define LONG_US  1000000
#define SHORT_US 150000

static void tone(uint64_t us)
{
    uint16_t divisor = PIT_HZ / TONE_HZ;
    uint8_t before = io_in8(SYSTEM_CONTROL) & SYSTEM_WRITEABLE;

    io_out8(PIT_MODE, MODE_SQUARE_WAVE);
    io_out8(PIT_CHANNEL_2, (uint8_t)divisor);
    io_out8(PIT_CHANNEL_2, (uint8_t)(divisor >> 8));
    io_out8(SYSTEM_CONTROL, before | SPEAKER_ON);
    tsc_wait_us(us);
    io_out8(SYSTEM_CONTROL, before & (uint8_t)~SPEAKER_ON);
}

void beep(enum beep what)
{
    if (what == BEEP_PASS) {
        tone(LONG_US);
        return;
    }
    for (int i = what == BEEP_FAIL ? 3 : 2; i > 0; i--) {
        tone(SHORT_US);
        tsc_wait_us(SHORT_US);
    }
}
