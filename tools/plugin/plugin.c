// SPDX-License-Identifier: MIT
/*
 * Faulty RAM and CPUs for a guest of QEMU: a TCG plugin that maps the same files as the guest's
 * memory and changes what the guest has stored in it, or is about to load, by the configuration.
 *
 *     qemu-system-x86_64 -plugin build/plugin/faultram.so,config=FILE[,monitor=SOCKET] …
 *
 * Stores by devices (DMA) and by QEMU's page walks are not seen: a fault takes effect after the
 * next store of a CPU.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "faults.h"
#include "monitor.h"
#include "qemu_api.h"
#include "ram.h"

#define FADE_CHECK_NS 1000000L

int qemu_plugin_version = PLUGIN_API_VERSION;

static struct ram guest_ram;
static struct faults guest_faults;
static struct cpu_faults guest_cpus;
/* One store at a time takes the slow path: several vCPUs stay deterministic. */
static pthread_mutex_t slow_path = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* False: it is not in RAM. */
static bool find_ram(qemu_plugin_meminfo_t info, uint64_t vaddr, uint64_t *ret_offset)
{
    struct qemu_plugin_hwaddr *hwaddr;

    if (ram_is_device(&guest_ram, vaddr))
        return false;
    hwaddr = qemu_plugin_get_hwaddr(info, vaddr);
    return hwaddr != NULL && !qemu_plugin_hwaddr_is_io(hwaddr) &&
           ram_find(&guest_ram, qemu_plugin_hwaddr_phys_addr(hwaddr), ret_offset);
}

/* Whether an access may be to a page with faults, and where in RAM it is. */
static bool find_faulty(qemu_plugin_meminfo_t info, uint64_t vaddr, uint64_t size,
                        uint64_t *ret_offset)
{
    return faults_near(&guest_faults, vaddr, size) && find_ram(info, vaddr, ret_offset) &&
           faults_has_page(&guest_faults, *ret_offset);
}

#define CPUS_MAX    256
#define CROWD_LEAST 16 /* stores of another CPU between two that are looked at here */

/* Stores of a CPU, and how many all others had made as it came here last. */
static struct {
    _Alignas(64) uint64_t n;
    uint64_t others;
} stores[CPUS_MAX];

static unsigned n_vcpus; /* that have stored, by the greatest of them */

static void count_store(unsigned vcpu)
{
    uint64_t *n = &stores[vcpu % CPUS_MAX].n; /* of this thread alone */

    __atomic_store_n(n, *n + 1, __ATOMIC_RELAXED);
    if (vcpu >= n_vcpus)
        n_vcpus = vcpu < CPUS_MAX ? vcpu + 1 : CPUS_MAX;
}

static bool is_crowded(unsigned vcpu)
{
    uint64_t others = 0, before = stores[vcpu % CPUS_MAX].others;

    for (unsigned i = 0; i < n_vcpus; i++)
        others += i == vcpu ? 0 : __atomic_load_n(&stores[i].n, __ATOMIC_RELAXED);
    stores[vcpu % CPUS_MAX].others = others;
    return others - before >= CROWD_LEAST;
}

/* A part of a store that lies in one page of the guest's virtual memory. */
static void after_store_in_page(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                uint64_t size)
{
    uint64_t offset, now;
    bool crowded = guest_faults.sees_cpus && is_crowded(vcpu);

    if (!find_faulty(info, vaddr, size, &offset))
        return;
    pthread_mutex_lock(&slow_path);
    guest_faults.vcpu = vcpu;
    guest_faults.is_crowded = crowded;
    now = guest_faults.fades || guest_faults.n_rare ? now_ns() : 0;
    faults_after_store(&guest_faults, offset, size, now);
    faults_after_access(&guest_faults, &(struct rare_access){ offset, size, now, vcpu, true });
    pthread_mutex_unlock(&slow_path);
}

static void after_store(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr)
{
    uint64_t size = UINT64_C(1) << qemu_plugin_mem_size_shift(info);
    uint64_t in_page = RAM_PAGE_SIZE - vaddr % RAM_PAGE_SIZE;

    if (size <= in_page) {
        after_store_in_page(vcpu, info, vaddr, size);
    } else {
        after_store_in_page(vcpu, info, vaddr, in_page);
        after_store_in_page(vcpu, info, vaddr + in_page, size - in_page);
    }
}

/* Only of aligned data, which lie in one page: the guest's tests read no other. */
static void after_load(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr)
{
    uint64_t size = UINT64_C(1) << qemu_plugin_mem_size_shift(info), offset, now;
    bool corrected;

    if (size > RAM_PAGE_SIZE - vaddr % RAM_PAGE_SIZE || !find_faulty(info, vaddr, size, &offset))
        return;
    pthread_mutex_lock(&slow_path);
    now = guest_faults.n_rare ? now_ns() : 0;
    corrected = faults_after_load(&guest_faults, offset, size);
    faults_after_access(&guest_faults, &(struct rare_access){ offset, size, now, vcpu, false });
    pthread_mutex_unlock(&slow_path);
    if (corrected)
        monitor_report(vcpu);
}

static uint8_t *find_bytes(void *ctx, uint64_t vaddr)
{
    uint64_t offset;

    return find_ram(*(qemu_plugin_meminfo_t *)ctx, vaddr, &offset) ? guest_ram.bytes + offset
                                                                   : NULL;
}

static char is_vector; /* the address of which is the userdata of such an instruction */

/* On the CPU's own thread. */
static void after_access_of_cpu(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                bool vector)
{
    const struct cpu_access access = { vaddr, 1u << qemu_plugin_mem_size_shift(info),
                                       qemu_plugin_mem_is_store(info), vector };

    for (size_t i = 0; i < guest_cpus.n; i++) {
        if (guest_cpus.fault[i].vcpu == vcpu)
            cpu_fault_after(&guest_cpus.fault[i], &access, find_bytes, &info);
    }
}

static void after_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                         void *userdata)
{
    if (guest_cpus.n)
        after_access_of_cpu(vcpu, info, vaddr, userdata == &is_vector);
    if (guest_faults.sees_cpus && qemu_plugin_mem_is_store(info))
        count_store(vcpu);
    /* Before all else, since it decides nearly always. */
    if (!faults_near_line(&guest_faults, vaddr))
        return;
    if (qemu_plugin_mem_is_store(info))
        after_store(vcpu, info, vaddr);
    else if (guest_faults.sees_loads)
        after_load(vcpu, info, vaddr);
}

static bool is_vector_insn(const struct qemu_plugin_insn *insn)
{
    size_t n = qemu_plugin_insn_size(insn);
#if PLUGIN_API_VERSION < 3
    return cpu_insn_is_vector(qemu_plugin_insn_data(insn), n);
#else
    uint8_t bytes[16];

    return cpu_insn_is_vector(bytes, qemu_plugin_insn_data(insn, bytes, n < 16 ? n : 16));
#endif
}

static void progress_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    bool loads = guest_faults.sees_loads || guest_cpus.n;

    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

        qemu_plugin_register_vcpu_mem_cb(insn, after_access, QEMU_PLUGIN_CB_NO_REGS,
                                         loads ? QEMU_PLUGIN_MEM_RW : QEMU_PLUGIN_MEM_W,
                                         is_vector_insn(insn) ? &is_vector : NULL);
    }
}

/* Cells fade without any store. */
static void *pass_time(void *unused)
{
    const struct timespec pause = { .tv_nsec = FADE_CHECK_NS };

    for (;;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&slow_path);
        faults_after_time(&guest_faults, now_ns());
        pthread_mutex_unlock(&slow_path);
    }
    return NULL;
}

static const char *value_of(const char *argument, const char *key)
{
    return strncmp(argument, key, strlen(key)) == 0 ? argument + strlen(key) : NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    const char *config = argc > 0 ? value_of(argv[0], "config=") : NULL;
    const char *monitor = argc > 1 ? value_of(argv[1], "monitor=") : NULL;
    pthread_t thread;

    if (argc > 2 || config == NULL || (argc == 2 && monitor == NULL)) {
        fprintf(stderr, "okram plugin: arguments: config=FILE and, optionally, monitor=SOCKET\n");
        return 1;
    }
    if (!config_read(config, &guest_ram, &guest_faults, &guest_cpus))
        return 1;
    if (monitor != NULL && !monitor_connect(monitor))
        return 1;
    if (!faults_begin(&guest_faults, now_ns())) {
        fprintf(stderr, "okram plugin: no memory for the table of faults\n");
        return 1;
    }
    if (guest_faults.fades && pthread_create(&thread, NULL, pass_time, NULL) != 0) {
        fprintf(stderr, "okram plugin: no thread for retention faults\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, progress_block);
    return 0;
}
