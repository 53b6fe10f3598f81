# SPDX-License-Identifier: MIT
# Benchmarks: passes in QEMU and memtest86+'s, loops on this host and likwid-bench's.

BENCH_SRC := $(filter-out tests/bench/cover_% tests/bench/diagnosis_% tests/bench/rows_%,$(wildcard tests/bench/*_bench.c))
BENCH_BIN := $(BENCH_SRC:tests/%.c=$(BUILD)/%)

$(BENCH_BIN): $(BUILD)/bench/%: tests/bench/%.c tests/bench/host.h $(BUILD)/libokram.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(filter %.c %.o,$^) $(filter %.a,$^) -pthread -o $@

# STREAM in C, for bandwidth_bench, as a user compiles it; but copy stays a loop, not libc's memcpy.
C_STREAM := $(foreach isa,sse2 avx2 avx512,$(BUILD)/bench/c_$(isa).o $(BUILD)/bench/c_$(isa)_streamed.o)
C_STREAM_FLAGS_avx2   := -mavx2 -mfma
C_STREAM_FLAGS_avx512 := -mavx512f -mfma -mprefer-vector-width=512

$(C_STREAM): $(BUILD)/bench/c_%.o: tests/bench/c_stream.c tests/bench/c_stream.h $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -O3 $(NO_IDIOMS) $(C_STREAM_FLAGS_$(patsubst %_streamed,%,$*)) \
	    $(if $(filter %_streamed,$*),-DSTREAMED) -DNAME=c_$* -c $< -o $@

$(BUILD)/bench/bandwidth_bench: tests/bench/c_stream.h $(C_STREAM)

$(BUILD)/bench/pass_host_bench: $(addprefix tests/bench/,pass_host_threads.c pass_host_table.c \
	pass_host.h host_steps.c host_steps.h) $(BUILD)/host/kernel/hw/cpus/steps.o \
	$(BUILD)/host/kernel/run/calibration/speed_class.o

# One after another even with -j: other load would be measured, too.
bench: ## all benchmarks; BENCH_OPTIONS go to tests/bench/pass_bench.py
	@$(MAKE) --no-print-directory bench-host
	@$(MAKE) --no-print-directory bench-pass-host
	@$(MAKE) --no-print-directory bench-pass

bench-pass: bench-setup ## seconds of a pass in QEMU: next to memtest86+, by CPUs, by memory, in 1 TiB
	@$(MAKE) -s --no-print-directory $(BUILD)/okram.iso
	@$(BUILD)/venv/bin/python tests/bench/pass_bench.py $(BENCH_OPTIONS)

bench-instructions: plugin ## share of a pass's instructions that 64 CPUs spend waiting; BENCH_OPTIONS
	@$(MAKE) -s --no-print-directory $(BUILD)/okram.iso
	@$(BUILD)/venv/bin/python tests/bench/instructions_bench.py $(BENCH_OPTIONS)

bench-host: bench-bandwidth ## GB/s and ns of okram's loops on this host, next to likwid-bench
	@$(BUILD)/bench/sweep_bench
	@$(BUILD)/bench/log_bench
	@$(BUILD)/bench/faulty_bench

bench-pass-host: bench-setup ## efficiency of passes over this host's memory; PASS_HOST_OPTIONS
	@$(MAKE) -s --no-print-directory $(BENCH_BIN)
	@$(BUILD)/bench/pass_host_bench $(PASS_HOST_OPTIONS)

# Thorough has three times as many sweeps as standard: fewer runs.
performance-docs: bench-setup ## the same for all levels, into docs/performance.md and docs/manual.md
	@$(MAKE) -s --no-print-directory $(BENCH_BIN)
	@$(BUILD)/bench/pass_host_bench -m 4096 standard > $(BUILD)/pass_standard.txt
	@$(BUILD)/bench/pass_host_bench quick > $(BUILD)/pass_quick.txt
	@$(BUILD)/bench/pass_host_bench -m 4096 -r 3 thorough > $(BUILD)/pass_thorough.txt
	@cd $(BUILD) && cat pass_standard.txt pass_quick.txt pass_thorough.txt
	@python3 tests/bench/performance_docs.py $(foreach l,standard quick thorough,$(BUILD)/pass_$l.txt)

bench-fleet: ## seconds and memory of `okram fleet`: REPORTS (100000); BENCH_OPTIONS
	@tools/setup fleet
	@$(BUILD)/venv/bin/python tests/bench/fleet_bench.py --reports $(or $(REPORTS),100000) $(BENCH_OPTIONS)

bench-bandwidth: bench-setup ## the part of bench-host that is bandwidth and latency
	@$(MAKE) -s --no-print-directory $(BENCH_BIN)
	@$(BUILD)/bench/bandwidth_bench
	@$(BUILD)/bench/latency_bench

bench-step: ## ns between the first thread and the last that switch traffic in bus-pulse; BENCH_OPTIONS
	@$(MAKE) -s --no-print-directory $(BUILD)/bench/pulse_bench
	@$(BUILD)/bench/pulse_bench $(BENCH_OPTIONS)

bench-couplings: plugin ## couplings with okram's own places that are lost, in 20 boots in QEMU; BENCH_OPTIONS
	@$(MAKE) -s --no-print-directory $(BUILD)/okram.lkrn
	@$(BUILD)/venv/bin/python tests/bench/couplings_bench.py $(BENCH_OPTIONS)

bench-cpu: plugin ## memory or a CPU: the verdict on 60 machines in QEMU; BENCH_OPTIONS
	@$(MAKE) -s --no-print-directory $(BUILD)/okram.lkrn
	@$(BUILD)/venv/bin/python tests/bench/cpu_bench.py $(BENCH_OPTIONS)

bench-stability: plugin ## which tests see errors at random times soonest, by condition, in QEMU; BENCH_OPTIONS
	@$(MAKE) -s --no-print-directory $(BUILD)/okram.lkrn
	@$(BUILD)/venv/bin/python tests/bench/stability_bench.py $(BENCH_OPTIONS)

bench-store: ## how full UEFI's store of variables gets over 1,000 runs; BENCH_OPTIONS
	@$(MAKE) -s --no-print-directory $(BUILD)/okram.iso
	@$(BUILD)/venv/bin/python tests/bench/store_bench.py $(BENCH_OPTIONS)

bench-durations: ## how long the menu says that tests take, and how long they took, in QEMU; BENCH_OPTIONS
	@$(MAKE) -s --no-print-directory $(BUILD)/okram.iso
	@$(BUILD)/venv/bin/python tests/bench/durations_bench.py $(BENCH_OPTIONS)

soak: bench-setup ## sweeps of clean memory, where every fault is a false one: SOAK_SECONDS (600)
	@$(MAKE) -s --no-print-directory $(BUILD)/okram.iso
	@$(BUILD)/venv/bin/python tests/bench/soak.py --seconds $(or $(SOAK_SECONDS),600)

# A benchmark skips programs that are not installed, with a message.
bench-setup:
	@tools/setup bench || tools/setup

.PHONY: bench bench-pass bench-host bench-pass-host performance-docs bench-instructions \
	bench-fleet bench-bandwidth bench-step bench-store bench-couplings bench-cpu bench-stability \
	bench-durations bench-setup soak
