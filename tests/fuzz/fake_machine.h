// SPDX-License-Identifier: MIT
/*
 * What a driver finds around it, for targets that drive a fake device: pages for the device,
 * registers in a window of memory, and one PCI function. The stand-ins in devices/ lead here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_BAR       UINT64_C(0xfe000000)
#define FAKE_BAR_BYTES (1u << 20)

/* The device's side: reads and writes of its registers; offset: from the BAR, a multiple of 4. */
struct fake_registers {
    uint32_t (*read)(void *ctx, uint32_t offset);
    void (*write)(void *ctx, uint32_t offset, uint32_t value);
    void *ctx;
};

/* Begins anew: no page is given, no register mapped, the clock (fake_clock.h) is at 0. */
void fake_machine_begin(struct fake_registers registers, uint32_t class_code);
void fake_machine_end(void);

/* How often the driver has looked at the clock or at a register. */
uint64_t fake_machine_looks(void);

/* Memory turns a bit of the line that is flushed as the n-th from now on. 0: of none. */
extern unsigned fake_turns_bit;

/*
 * What a device's access to memory reaches; the driver must have given it that memory. NULL: it is
 * not allowed to access memory, for bus mastering is off.
 */
void *fake_dma(uint64_t phys, size_t size);

/* Configuration space of the function, 64 words. */
uint32_t *fake_config(void);

/* A second function, of another device: its configuration space. */
uint32_t *fake_add_function(uint32_t class_code);
