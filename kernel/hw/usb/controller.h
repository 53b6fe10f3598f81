// SPDX-License-Identifier: MIT
/*
 * One xHCI controller (xHCI 1.2): its registers, its memory, and its way from what firmware left to
 * where it runs. A map of the folder, from the lowest file up; all of it is the boot CPU's alone:
 *
 *   registers   names of registers and bits
 *   controller  a controller, and the devices that it has
 *   operation   one command, control transfer or delay at a time, then a call
 *   storage     a command to a storage device: three transfers, one after the other
 *   attach      from a port with something new to a keyboard, hub or storage device that is used
 *   ports       root ports and ports of hubs: what came, what went
 *   usb         all controllers: the events that they report; the keys
 *   disk        storage devices as disks
 *
 * Nothing here waits: each step begins something and returns, and a later poll goes on. Each wait
 * has a deadline. A controller that misses one, or reports an error, is halted for good.
 *
 * At USB 3 ports only storage devices are driven: no keyboard is as fast, and each USB 3 hub is a
 * USB 2 hub, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/pci.h"
#include "lib/status.h"
#include "usb_formats/context.h"
#include "usb_formats/descriptors.h"
#include "usb_formats/storage.h"
#include "usb_formats/trb.h"

#define USB_DEVICES_MAX  16 /* of a controller: keyboards, hubs, and what else hubs have */
#define USB_SLOTS_MAX    32
#define USB_PORTS_MAX    255
#define USB_CONTROL_MAX  1024 /* bytes of a control transfer; longer configurations are cut */
#define USB_REPORT_BYTES 64
#define USB_ATTEMPTS_MAX 3 /* to attach what is at a port, until something else is */
#define USB_SCRATCH_MAX  128

struct usb_device {
    bool used;
    bool gone;              /* its slot is still to be disabled */
    bool listening;         /* it is a keyboard or hub whose reports come */
    bool ignored;           /* it is neither, and keeps its address */
    uint8_t slot;           /* 0: none yet */
    struct usb_device *hub; /* NULL: it is at a root port */
    uint8_t port;           /* of the hub, or the controller; from 1 */
    struct usb_route route;
    uint16_t packet_bytes; /* of endpoint 0, as the controller knows it */
    struct usb_function function;
    struct hub_descriptor hub_data;
    uint8_t *memory; /* a page: context, rings, reports */
    uint64_t phys;
    struct trb_ring control;
    struct trb_ring in, out; /* of its interrupt endpoint, or of its two bulk endpoints */
    bool is_disk;            /* a storage device that takes commands */
    uint32_t serial;         /* of what is attached to the controller, from 1 */
    struct boot_keys keys;
    uint32_t changed_ports;              /* of a hub: bit n is port n */
    uint8_t attempts[HUB_PORTS_MAX + 1]; /* to attach what is at a port */
};

enum controller_state {
    CONTROLLER_OFF,
    CONTROLLER_HANDOFF, /* until firmware has let go of it */
    CONTROLLER_HALTING,
    CONTROLLER_RESETTING,
    CONTROLLER_RUNNING,
};

struct controller;
typedef void (*usb_step)(struct controller *c);

enum operation_kind {
    OPERATION_NONE,
    OPERATION_COMMAND,
    OPERATION_CONTROL,
    OPERATION_BULK,
    OPERATION_DELAY,
};

/* What is under way, for whom, and what is called when it has ended well. */
struct operation {
    enum operation_kind kind;
    struct usb_device *device; /* of a control transfer; if it fails, this device is given up */
    uint64_t deadline;
    uint64_t trb, data_trb; /* addresses: the last TRB, and that of the data stage */
    uint32_t wanted, received;
    bool stall_allowed;
    bool in; /* of a bulk transfer */
    usb_step next;
};

/* A command to a storage device, from storage_begin until `has_ended`. */
struct storage_job {
    struct usb_device *device;
    struct storage_command command;
    const void *out; /* the data that it takes */
    uint32_t tag;
    uint32_t received; /* bytes of data, either way */
    bool asked_again;  /* for how it went */
    bool has_ended;    /* well: else the device is given up */
    enum storage_result result;
};

struct controller {
    struct pci_function pci;
    uint64_t bar;
    volatile uint8_t *registers;
    uint32_t operational, runtime, doorbells; /* offsets */
    uint32_t legacy;                          /* of USBLEGSUP; 0: none */
    uint32_t n_ports, n_slots, n_scratch, context_bytes;
    bool driven_port[USB_PORTS_MAX + 1]; /* of USB 2, and of USB 3 where disks are wanted */
    bool wants_disks;
    bool is_left;     /* to firmware, until usb_take_left */
    bool takes_ports; /* there is an EHCI controller of Intel's, which may have the USB 2 ports */

    enum controller_state state;
    uint64_t deadline;
    uint64_t quiet_until; /* its registers are not touched before */
    uint64_t check_at;    /* when its status is read next */
    bool had_keyboard;
    bool may_resume; /* it was working when usb_end halted it */

    /* Memory that the controller reads and writes. */
    uint8_t *page[USB_SCRATCH_MAX + USB_DEVICES_MAX + 5];
    uint64_t page_phys[USB_SCRATCH_MAX + USB_DEVICES_MAX + 5];
    uint32_t n_pages;
    uint64_t *contexts; /* the device context base address array */
    struct context input;
    uint64_t input_phys;
    uint8_t *buffer; /* of control transfers */
    uint64_t buffer_phys;
    uint8_t *data; /* of storage commands: a page */
    uint64_t data_phys;
    struct trb_ring commands;
    struct event_ring events;

    struct operation operation;
    struct {
        usb_step next; /* goes on once the endpoint has been reset */
        bool is_bulk, in;
    } stalled;
    struct storage_job storage;
    uint32_t n_attached;
    struct usb_device device[USB_DEVICES_MAX];
    bool changed_port[USB_PORTS_MAX + 1];
    uint8_t attempts[USB_PORTS_MAX + 1];

    /* The port at work: what is attached there now. */
    struct {
        struct usb_device *hub;    /* NULL: a root port */
        struct usb_device *device; /* NULL until it has been reset */
        uint8_t port;
        uint8_t tries, resets, changes;
        struct hub_port status;
    } work;
};

/*
 * Reads what a controller is and maps its registers. STATUS_UNSUPPORTED: it cannot be used.
 * Before arena_close.
 */
enum status controller_find(struct controller *c, struct pci_function pci, bool wants_disks);

/* Whether it is one of Intel's. */
bool controller_is_intels(struct pci_function pci);

/* Whether firmware owns it and has its SMIs on. After controller_find, before controller_start. */
bool controller_is_firmwares(const struct controller *c);

/* How many pages it wants for itself, and how they are given to it, in turn. */
uint32_t controller_pages(const struct controller *c);
void controller_add_page(struct controller *c, uint64_t phys);

/* Asks firmware for the controller: the first step; controller_poll does the others. */
void controller_start(struct controller *c);

/* Starts a controller that was halted: what is at its ports is attached again. */
void controller_restart(struct controller *c);

/* Does the next step, until it runs. */
void controller_poll(struct controller *c);

/* Halts it; it no longer writes to memory. */
void controller_halt(struct controller *c);

/* Halts it, with a warning if it had a keyboard. */
void controller_fail(struct controller *c, const char *why);

uint32_t controller_read_port(struct controller *c, uint8_t port);

/* Sets bits of a port, or clears changes, and changes nothing else. */
void controller_write_port(struct controller *c, uint8_t port, uint32_t bits);

/* Tells the controller that a ring has something. slot 0: the commands. */
void controller_ring(struct controller *c, uint8_t slot, unsigned endpoint);

/* Tells the controller that events up to here have been taken. */
void controller_events_taken(struct controller *c);

/* A new device, with zeroed memory. NULL: there is no room for more. */
struct usb_device *controller_new_device(struct controller *c);

/* How often what is at a port has been attached without success. hub: NULL: a root port. */
uint8_t *controller_attempts_at(struct controller *c, struct usb_device *hub, uint8_t port);

/* The same for a device's port. */
uint8_t *controller_attempts(struct controller *c, const struct usb_device *d);
