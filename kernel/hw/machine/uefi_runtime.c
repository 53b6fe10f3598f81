// SPDX-License-Identifier: MIT
#include "machine/uefi_runtime.h"

#include "arch/cpuid.h"
#include "arch/firmware_call.h"
#include "arch/paging.h"
#include "arch/percpu.h"
#include "arch/trap.h"
#include "arch/tsc.h"
#include "event/trace.h"
#include "firmware/call_tables.h"
#include "lib/date.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "memory/arena.h"

#define SYSTEM_TABLE_SIGNATURE UINT64_C(0x5453595320494249) /* "IBI SYST" */
#define RUNTIME_SIGNATURE      UINT64_C(0x56524553544e5552) /* "RUNTSERV" */
#define RESET_COLD             0
#define RESET_SHUTDOWN         2
#define NEXT_NAME_CHARS        512
#define VECTOR_PAGE_FAULT      14

/* Each that is needed is for 2 MiB of memory that are firmware's in part. */
#define TABLES_MAX 512

/* UEFI 2.10, 4.2 to 4.5. */
struct efi_header {
    uint64_t signature;
    uint32_t revision, header_size, crc32, reserved;
};

struct efi_system_table {
    struct efi_header header;
    uint64_t vendor;
    uint32_t revision, pad;
    uint64_t consoles[6];
    uint64_t runtime;
};
_Static_assert(offsetof(struct efi_system_table, runtime) == 88, "UEFI 2.10, 4.3");

struct efi_runtime {
    struct efi_header header;
    uint64_t times[4], addresses[2];
    uint64_t get_variable, get_next_variable_name, set_variable;
    uint64_t get_next_high_monotonic_count, reset_system;
    uint64_t capsules[2], query_variable_info;
};
_Static_assert(offsetof(struct efi_runtime, times) == 24, "UEFI 2.10, 4.5");
_Static_assert(offsetof(struct efi_runtime, set_variable) == 88, "UEFI 2.10, 4.5");
_Static_assert(offsetof(struct efi_runtime, reset_system) == 104, "UEFI 2.10, 4.5");
_Static_assert(offsetof(struct efi_runtime, query_variable_info) == 128, "UEFI 2.10, 4.5");

struct efi_time {
    uint16_t year;
    uint8_t month, day, hour, minute, second, pad1;
    uint32_t nanosecond;
    int16_t zone;
    uint8_t daylight, pad2;
};
_Static_assert(sizeof(struct efi_time) == 16, "UEFI 2.10, 8.3");

/* What firmware reads and writes, in a page of its own. */
static struct shared {
    uint16_t name[UEFI_NAME_MAX];
    uint16_t next_name[NEXT_NAME_CHARS];
    uint8_t data[UEFI_DATA_MAX];
    uint64_t bytes, store[3]; /* in all, remaining, largest variable */
    struct uefi_guid vendor, next_vendor;
    uint32_t attributes;
} * shared;
_Static_assert(sizeof(*shared) <= PAGE_SIZE, "contiguous in physical memory");

static const struct efi_runtime *runtime; /* NULL: none to be trusted */
static const struct memory_map *memory;
static uint32_t listed;   /* enum uefi_service */
static uint64_t limit_us; /* of the last call */

/* What of memory is mapped while a service runs. */
static struct call_tables tables;

/* Whether firmware kept all of it for run time, so that okram has not tested it. */
static bool is_kept(uint64_t phys, uint64_t bytes)
{
    const struct memory_region *r = memory_map_at(memory, phys);

    return r && r->kind == BOOT_REGION_RUNTIME && bytes <= span_end(r->span) - phys &&
           paging_is_mapped(phys, bytes);
}

/* NULL: there are none, or they are not where firmware keeps memory for run time. */
static const struct efi_runtime *find_services(uint64_t system_table)
{
    const struct efi_system_table *system = direct(system_table);
    const struct efi_runtime *services;

    if (!system_table || !is_kept(system_table, sizeof(*system)) ||
        system->header.signature != SYSTEM_TABLE_SIGNATURE ||
        !is_kept(system->runtime, sizeof(*services)))
        return NULL;
    services = direct(system->runtime);
    return services->header.signature == RUNTIME_SIGNATURE ? services : NULL;
}

static uint64_t page_address(const void *page)
{
    return paging_translate((uint64_t)page);
}

/* page: tested memory that is mapped all the same. */
static void begin_tables(const struct memory_map *map, bool acpi_is_tested, uint64_t page)
{
    struct span shown_span[] = { { 0, PAGE_SIZE }, { page, PAGE_SIZE } };
    const struct spans shown = { .span = shown_span, .n = 2 };

    tables = (struct call_tables){
        .hidden = arena_alloc_spans(SPANS_CUT_MAX(map->n_regions, shown.n)),
        .has_1g = cpu_features_read().pages_1g,
        .address_of = page_address,
    };
    call_tables_hide(map, acpi_is_tested, &shown, &tables.hidden);
    tables.n_pages = min_u64(call_tables_count(&tables), TABLES_MAX);
    tables.page = arena_alloc(tables.n_pages * PAGE_SIZE);
}

/* Makes the tables with okram where it is now. Returns what CR3 is to hold on this CPU. */
static uint64_t make_tables(void)
{
    return paging_firmware_root(percpu_self()->number == 0, call_tables_make(&tables));
}

uint64_t uefi_runtime_begin(uint64_t system_table, uint32_t supported, const struct memory_map *map,
                            bool acpi_is_tested)
{
    const struct efi_runtime *found;
    uint64_t page;

    memory = map;
    listed = supported;
    found = find_services(system_table);
    page = found ? arena_fixed_page() : 0;
    if (!page)
        return 0;
    begin_tables(map, acpi_is_tested, page);
    shared = direct(page);
    runtime = found;
    return page;
}

static uint64_t address_of(enum uefi_service service)
{
    switch (service) {
    case UEFI_GET_TIME: return runtime->times[0];
    case UEFI_SET_WAKEUP_TIME: return runtime->times[3];
    case UEFI_GET_VARIABLE: return runtime->get_variable;
    case UEFI_NEXT_VARIABLE: return runtime->get_next_variable_name;
    case UEFI_SET_VARIABLE: return runtime->set_variable;
    case UEFI_RESET_SYSTEM: return runtime->reset_system;
    case UEFI_QUERY_VARIABLE_INFO: /* not before UEFI 2.0 */
        return runtime->header.header_size >= sizeof(*runtime) ? runtime->query_variable_info : 0;
    }
    return 0;
}

bool uefi_runtime_has(enum uefi_service service)
{
    uint64_t address;

    if (!runtime || !(listed & service))
        return false;
    address = address_of(service);
    return address < call_tables_limit(&tables) && is_kept(address, 1);
}

/* The address that firmware knows a field of *shared by. */
static uint64_t at(const void *field)
{
    return (uint64_t)field - DIRECT_BASE;
}

static const char *name_of(enum uefi_service service)
{
    switch (service) {
    case UEFI_GET_TIME: return "GetTime";
    case UEFI_SET_WAKEUP_TIME: return "SetWakeupTime";
    case UEFI_GET_VARIABLE: return "GetVariable";
    case UEFI_NEXT_VARIABLE: return "GetNextVariableName";
    case UEFI_SET_VARIABLE: return "SetVariable";
    case UEFI_RESET_SYSTEM: return "ResetSystem";
    case UEFI_QUERY_VARIABLE_INFO: return "QueryVariableInfo";
    }
    return "";
}

/* The calling CPU is the boot CPU, or the boot CPU sends what is queued when it polls. */
static void tell(struct event_trace trace, enum uefi_service service)
{
    char variable[UEFI_NAME_MAX] = "";

    if (service == UEFI_GET_VARIABLE || service == UEFI_SET_VARIABLE) {
        for (size_t i = 0; shared->name[i]; i++)
            variable[i] = (char)shared->name[i];
    }
    trace.what = OPTION_TRACE_FIRMWARE;
    trace.cpu = percpu_self()->number;
    trace.service = name_of(service);
    trace.variable = variable;
    trace_queue(&trace);
    if (trace.cpu == 0)
        trace_send_queued();
}

static uint64_t call(enum uefi_service service, const uint64_t argument[FIRMWARE_CALL_ARGUMENTS])
{
    static const char *const states[] = {
        [FIRMWARE_CALL_RETURNED] = "returned",
        [FIRMWARE_CALL_EXCEPTION] = "exception",
        [FIRMWARE_CALL_ABORTED] = "no return",
    };
    struct firmware_call c;
    enum external_end end;
    uint64_t status = 0, began;

    if (!uefi_runtime_has(service))
        return UEFI_UNSUPPORTED;
    c = (struct firmware_call){ .function = address_of(service), .cr3 = make_tables() };
    memcpy(c.argument, argument, sizeof(c.argument));
    limit_us = service == UEFI_SET_VARIABLE ? UEFI_SET_LIMIT_US : UEFI_LIMIT_US;
    tell((struct event_trace){ .state = "called" }, service);
    began = tsc_now();
    end = firmware_call(&c, limit_us, &status);
    tell(
        (struct event_trace){
            .state = states[end],
            .status = status,
            .seconds = (double)(tsc_now() - began) / (double)tsc_hz(),
        },
        service);
    switch (end) {
    case FIRMWARE_CALL_RETURNED: return status;
    case FIRMWARE_CALL_EXCEPTION: runtime = NULL; return UEFI_EXCEPTION;
    case FIRMWARE_CALL_ABORTED: break;
    }
    runtime = NULL;
    return UEFI_NO_RETURN;
}

#define CALL(service, ...) call(service, (const uint64_t[FIRMWARE_CALL_ARGUMENTS]){ __VA_ARGS__ })

static void put_name(const struct uefi_name *name)
{
    size_t i = 0;

    for (; i < UEFI_NAME_MAX - 1 && name->text[i]; i++)
        shared->name[i] = (uint8_t)name->text[i];
    shared->name[i] = 0;
    shared->vendor = name->vendor;
}

uint64_t uefi_get_variable(const struct uefi_name *name, void *ret_data, size_t *ret_bytes)
{
    uint64_t status;

    put_name(name);
    shared->bytes = UEFI_DATA_MAX;
    status = CALL(UEFI_GET_VARIABLE, at(shared->name), at(&shared->vendor), at(&shared->attributes),
                  at(&shared->bytes), at(shared->data));
    if (status == UEFI_SUCCESS && shared->bytes > UEFI_DATA_MAX)
        status = UEFI_BUFFER_TOO_SMALL;
    if (status != UEFI_SUCCESS)
        return status;
    memcpy(ret_data, shared->data, shared->bytes);
    *ret_bytes = shared->bytes;
    return status;
}

uint64_t uefi_set_variable(const struct uefi_name *name, uint32_t attributes, const void *data,
                           size_t bytes)
{
    uint64_t place = (uint64_t)data;

    put_name(name);
    if (bytes <= UEFI_DATA_MAX) {
        memcpy(shared->data, data, bytes);
        place = at(shared->data);
    }
    ASSERT(bytes <= UEFI_DATA_MAX || place >= ARENA_BASE);
    return CALL(UEFI_SET_VARIABLE, at(shared->name), at(&shared->vendor), attributes, bytes, place);
}

uint64_t uefi_query_variable_info(uint32_t attributes, struct uefi_store *ret_store)
{
    uint64_t status;

    memset(shared->store, 0, sizeof(shared->store));
    status = CALL(UEFI_QUERY_VARIABLE_INFO, attributes, at(&shared->store[0]),
                  at(&shared->store[1]), at(&shared->store[2]));
    if (status == UEFI_SUCCESS)
        *ret_store = (struct uefi_store){ shared->store[1], shared->store[2] };
    return status;
}

/* False: not ASCII, or too long. */
static bool take_name(char *to)
{
    for (size_t i = 0; i < UEFI_NAME_MAX; i++) {
        if (shared->next_name[i] > '~')
            break;
        to[i] = (char)shared->next_name[i];
        if (!to[i])
            return true;
    }
    return false;
}

uint64_t uefi_next_variable(bool first, struct uefi_name *ret_name)
{
    uint64_t status;

    if (first)
        shared->next_name[0] = 0;
    shared->bytes = sizeof(shared->next_name);
    status = CALL(UEFI_NEXT_VARIABLE, at(&shared->bytes), at(shared->next_name),
                  at(&shared->next_vendor));
    if (status != UEFI_SUCCESS)
        return status;
    if (!take_name(ret_name->text))
        ret_name->text[0] = 0;
    ret_name->vendor = shared->next_vendor;
    return status;
}

/* By firmware's own clock, which may have any time zone. */
uint64_t uefi_set_wakeup(unsigned seconds)
{
    struct efi_time *t;
    uint64_t status;
    struct date d;

    if (!runtime || !seconds)
        return CALL(UEFI_SET_WAKEUP_TIME, false, 0);
    t = (void *)shared->data;
    status = CALL(UEFI_GET_TIME, at(t));
    if (status != UEFI_SUCCESS)
        return status;
    d = (struct date){ t->year, t->month, t->day, t->hour, t->minute, t->second };
    d = date_of(date_seconds(&d) + seconds);
    t->year = (uint16_t)d.year;
    t->month = (uint8_t)d.month;
    t->day = (uint8_t)d.day;
    t->hour = (uint8_t)d.hour;
    t->minute = (uint8_t)d.minute;
    t->second = (uint8_t)d.second;
    return CALL(UEFI_SET_WAKEUP_TIME, true, at(t));
}

void uefi_power_off(void)
{
    CALL(UEFI_RESET_SYSTEM, RESET_SHUTDOWN);
}

void uefi_restart(void)
{
    CALL(UEFI_RESET_SYSTEM, RESET_COLD);
}

static void append_exception(struct fmt_buffer *b, struct external_exception e)
{
    fmt_append(b, "raised exception %lu (%s) at 0x%lx", e.vector, trap_name(e.vector), e.rip);
    if (e.vector == VECTOR_PAGE_FAULT)
        fmt_append(b, ", accessing address 0x%lx", e.address);
}

void uefi_append_status(struct fmt_buffer *b, uint64_t status)
{
    if (status == UEFI_EXCEPTION)
        append_exception(b, firmware_call_exception());
    else if (status == UEFI_NO_RETURN)
        fmt_append(b, "did not return within %lu s", (unsigned long)(limit_us / 1000000));
    else if (status == UEFI_FORGOTTEN)
        fmt_append(b, "reports success, but what it wrote is not there");
    else
        fmt_append(b, "failed (0x%lx)", status);
}
