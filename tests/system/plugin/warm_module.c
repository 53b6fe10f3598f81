// SPDX-License-Identifier: MIT
/*
 * A QEMU TCG plugin that makes a memory module warm while okram's kernel moves memory, and shows
 * its temperature in the registers of a sensor: of an SPD5118 hub, which is one of QEMU's EEPROMs
 * (at 0x50 to 0x57) with the marker below in it, or of a TSE2004 chip, which is QEMU's i2c-ddc at
 * 0x18 to 0x1f. The bytes are in QEMU's own memory, which is looked through for them.
 *
 *     -plugin build/plugin/warm_module.so,sensor=hub,ambient=40,rise=60,tau_ms=3000
 *
 * Traffic is what writes past the caches or flushes them. The temperature goes from `ambient`
 * towards `rise` above it while there is traffic, and back, by e in tau_ms. after_ms of traffic
 * later the sensor lies: lie=127, lie=0 and so on: it says that; lie=still: it says what it said
 * last; from the beginning with after_ms=0.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/system/plugin/one_cpu.h"

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);

#define STEP_NS     10000000
#define FIND_NS     100000000
#define BUSY        1000 /* blocks in a step, and more: traffic */
#define PLACES      8
#define REGION      (UINT64_C(64) << 20) /* larger ones are the guest's */
#define HUB_VALUE   49
#define CHIP_CONFIG 1
#define CHIP_VALUE  5

/* Not as it is looked for, so that the plugin does not find itself. */
static const unsigned char hub_marker[] = "njs`l!rdorns!itc";
static const unsigned char ddc_marker[] = { 1, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 1, 0x48, 0x15 };
#define HUB_MARKER_AT 0x60

static bool is_chip, is_still;
static double ambient, rise, tau_ms, lie;
static bool lies;
static uint64_t after_ns;
static _Atomic uint64_t blocks;
static int memory;
static uint64_t place[PLACES];
static size_t n_places;

static void executed(unsigned int vcpu, void *userdata)
{
    atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
}

/* MOVNTDQ, in each of its forms, MOVNTI, CLFLUSHOPT and CLFLUSH: what the sweeps alone use. */
static bool moves_memory(const struct qemu_plugin_insn *insn)
{
    const unsigned char *byte = qemu_plugin_insn_data(insn);

    if (byte[0] == 0xc5 || byte[0] == 0xc4 || byte[0] == 0x62)
        return byte[byte[0] == 0xc5 ? 2 : byte[0] == 0xc4 ? 3 : 4] == 0xe7;
    byte += byte[0] == 0x66;
    byte += (byte[0] & 0xf0) == 0x40;
    return byte[0] == 0x0f && (byte[1] == 0xe7 || byte[1] == 0xc3 ||
                               (byte[1] == 0xae && (byte[2] & 0x38) == 0x38 && byte[2] < 0xc0));
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    if (qemu_plugin_tb_vaddr(tb) < IMAGE_BASE)
        return;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        if (moves_memory(qemu_plugin_tb_get_insn(tb, i))) {
            qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, NULL);
            return;
        }
    }
}

static bool is_marker(const unsigned char *at, const unsigned char *marker, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (at[i] != (marker[i] ^ 1))
            return false;
    }
    return true;
}

static void look_through(uint64_t from, uint64_t size)
{
    const unsigned char *marker = is_chip ? ddc_marker : hub_marker;
    size_t n = is_chip ? sizeof(ddc_marker) : sizeof(hub_marker) - 1;
    uint64_t before = is_chip ? 0 : HUB_MARKER_AT;
    unsigned char *copy = malloc(size);
    ssize_t got = copy ? pread(memory, copy, size, (off_t)from) : 0;

    for (ssize_t at = 0; at + (ssize_t)n <= got && n_places < PLACES; at += 1) {
        if (copy[at] == (marker[0] ^ 1) && is_marker(copy + at, marker, n))
            place[n_places++] = from + (uint64_t)at - before;
    }
    if (copy)
        memset(copy, 0, size);
    free(copy);
}

static void find_places(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], rights[8];
    uint64_t from, to, inode;

    while (maps && fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %" SCNu64, &from, &to, rights,
                   &inode) == 4 &&
            strcmp(rights, "rw-p") == 0 && !inode && to - from <= REGION && !strstr(line, "stack"))
            look_through(from, to - from);
    }
    if (maps)
        fclose(maps);
}

static void put(uint64_t at, const unsigned char *byte, size_t n)
{
    if (pwrite(memory, byte, n, (off_t)at) != (ssize_t)n)
        abort();
}

/* 13 bits of sixteenths; a hub's two bytes are the other way round. */
static void show(double degrees)
{
    unsigned value = (unsigned)lround(degrees * 4) * 4 & 0x1fff;
    unsigned char high = (unsigned char)(value >> 8), low = (unsigned char)value;

    for (size_t i = 0; i < n_places; i++) {
        if (is_chip) {
            put(place[i] + CHIP_CONFIG, (unsigned char[]){ 0, 0 }, 2);
            put(place[i] + CHIP_VALUE, (unsigned char[]){ high, low }, 2);
        } else {
            put(place[i] + HUB_VALUE, (unsigned char[]){ low, high }, 2);
        }
    }
}

static void *pass_time(void *unused)
{
    uint64_t before = now_ns(), traffic_ns = 0, looked = 0;
    double degrees = ambient;

    for (;;) {
        uint64_t now;
        double part;
        bool busy;

        nanosleep(&(struct timespec){ .tv_nsec = STEP_NS }, NULL);
        now = now_ns();
        busy = atomic_exchange(&blocks, 0) >= BUSY;
        part = exp(-(double)(now - before) / 1e6 / tau_ms);
        degrees = (ambient + (busy ? rise : 0)) * (1 - part) + degrees * part;
        traffic_ns += busy ? now - before : 0;
        before = now;
        if (!n_places && now - looked >= FIND_NS) {
            looked = now;
            find_places();
        }
        if (!lies || traffic_ns < after_ns)
            show(degrees);
        else if (!is_still)
            show(lie);
        else if (!after_ns)
            show(ambient);
    }
    return NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    const char *sensor = plugin_text(argc, argv, "sensor"), *what = plugin_text(argc, argv, "lie");
    pthread_t thread;

    is_chip = sensor && strcmp(sensor, "chip") == 0;
    lies = what;
    is_still = what && strcmp(what, "still") == 0;
    lie = what ? atof(what) : 0;
    ambient = plugin_number(argc, argv, "ambient");
    rise = plugin_number(argc, argv, "rise");
    tau_ms = plugin_number(argc, argv, "tau_ms");
    after_ns = plugin_number(argc, argv, "after_ms") * UINT64_C(1000000);
    memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (memory < 0 || tau_ms <= 0 || pthread_create(&thread, NULL, pass_time, NULL) != 0)
        return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
