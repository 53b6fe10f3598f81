// SPDX-License-Identifier: MIT
/*
 * UEFI's runtime services (UEFI 2.10, 8): variables, and ResetSystem. Firmware's code runs where it
 * left it: its memory is never tested, and during a call it is mapped at its own addresses
 * (firmware/call_tables.h). What firmware gets is in one page, at its physical address. That page
 * does not move, and is below 4 GiB, where firmware that keeps addresses in 32 bits finds it, too.
 * Data too long for that are at okram's address, which is mapped during a call, too.
 *
 * A call is made on the calling CPU, one at a time; if it is not the boot CPU, the boot CPU watches
 * it (arch/firmware_call.h). An exception in firmware, or no return within the service's limit,
 * ends the call, and no service is called any more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/memory_map.h"

/*
 * SetVariable writes to flash: most firmware takes up to a second, some half a minute when it has
 * to make room first, and there is nothing to be gained by breaking that off. The other services
 * write nothing.
 */
#define UEFI_LIMIT_US     UINT64_C(5000000)
#define UEFI_SET_LIMIT_US UINT64_C(60000000)

/* Bits of EFI_RT_PROPERTIES_TABLE (4.6.2). */
enum uefi_service {
    UEFI_GET_TIME = 0x1,
    UEFI_SET_WAKEUP_TIME = 0x8,
    UEFI_GET_VARIABLE = 0x10,
    UEFI_NEXT_VARIABLE = 0x20,
    UEFI_SET_VARIABLE = 0x40,
    UEFI_RESET_SYSTEM = 0x400,
    UEFI_QUERY_VARIABLE_INFO = 0x2000,
};

/* EFI_STATUS (appendix D), and three of okram's own. */
#define UEFI_SUCCESS          UINT64_C(0)
#define UEFI_ERROR            (UINT64_C(1) << 63)
#define UEFI_UNSUPPORTED      (UEFI_ERROR | 3)
#define UEFI_BUFFER_TOO_SMALL (UEFI_ERROR | 5)
#define UEFI_NOT_FOUND        (UEFI_ERROR | 14)
#define UEFI_EXCEPTION        (UEFI_ERROR | UINT64_C(1) << 62 | 1)
#define UEFI_NO_RETURN        (UEFI_ERROR | UINT64_C(1) << 62 | 2)
#define UEFI_FORGOTTEN        (UEFI_ERROR | UINT64_C(1) << 62 | 3) /* read back, it is not as written */

struct uefi_guid {
    uint32_t a;
    uint16_t b, c;
    uint8_t d[8];
};

#define UEFI_NAME_MAX 80   /* characters of a variable's name, with the NUL; ASCII */
#define UEFI_DATA_MAX 1024 /* bytes of a variable's data, but as said below */

struct uefi_name {
    char text[UEFI_NAME_MAX];
    struct uefi_guid vendor;
};

/*
 * supported: the services that EFI_RT_PROPERTIES_TABLE lists. acpi_is_tested: so is memory that
 * holds ACPI tables, and services may not use it. Boot CPU, once the USB controllers
 * have their pages, before arena_close. Returns the physical address of the page that firmware
 * reads and writes; 0: there are no services.
 */
uint64_t uefi_runtime_begin(uint64_t system_table, uint32_t supported, const struct memory_map *map,
                            bool acpi_is_tested);

/* Whether it is supported, and in memory that firmware keeps for run time. */
bool uefi_runtime_has(enum uefi_service service);

/* ret_data has room for UEFI_DATA_MAX bytes; ret_bytes: how many there are. */
uint64_t uefi_get_variable(const struct uefi_name *name, void *ret_data, size_t *ret_bytes);

/* bytes 0: deletes it. More than UEFI_DATA_MAX are read at `data`, which is okram's own memory. */
uint64_t uefi_set_variable(const struct uefi_name *name, uint32_t attributes, const void *data,
                           size_t bytes);

struct uefi_store {
    uint64_t remaining; /* bytes, for data, names and headers */
    uint64_t largest;   /* bytes of a variable: data and name */
};

/* What is left for variables of these attributes. */
uint64_t uefi_query_variable_info(uint32_t attributes, struct uefi_store *ret_store);

/*
 * All variables, one after the other: first, from the beginning. A name that is not ASCII or too
 * long comes out as "". UEFI_NOT_FOUND: there are no more.
 */
uint64_t uefi_next_variable(bool first, struct uefi_name *ret_name);

/*
 * Has firmware switch the machine on that many seconds from now (8.3), less than a day, if it is
 * off then. 0: no longer, which shows whether it can.
 */
uint64_t uefi_set_wakeup(unsigned seconds);

/* These return only if the machine stays on. */
void uefi_power_off(void);
void uefi_restart(void);

/* Appends how a service ended that did not succeed: "failed (0x8000000000000009)". */
struct fmt_buffer;
void uefi_append_status(struct fmt_buffer *b, uint64_t status);
