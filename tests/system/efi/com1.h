// SPDX-License-Identifier: MIT
/* Output of a test program on COM1, with nothing of firmware. */
#pragma once

#include <efi.h>

#define COM1        0x3f8
#define LINE_STATUS 5
#define SENT        0x20u

static inline void com1_send(char c)
{
    UINT8 status;

    do
        __asm__ volatile("inb %w1, %0" : "=a"(status) : "Nd"(COM1 + LINE_STATUS));
    while (!(status & SENT));
    __asm__ volatile("outb %0, %w1" : : "a"(c), "Nd"(COM1));
}

static inline void com1_text(const char *s)
{
    while (*s)
        com1_send(*s++);
}
