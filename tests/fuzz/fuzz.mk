# SPDX-License-Identifier: MIT
# Fuzz targets: one for each parser of bytes from outside. Built by gcc to replay the corpus, and by
# clang with libFuzzer to look for more.

FUZZ         := $(BUILD)/fuzz
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

# What targets link: the parsers of the pure folders, the loaders and the host, and a driver whose
# I/O ports its target emulates. Expanded late, for MACHINE_SRC comes after this file.
FUZZ_SRC  = $(wildcard $(addprefix kernel/,$(addsuffix /*.c,acpi firmware log alias badram bootcfg options save usbdata guardlist lib))) \
            kernel/sweep/march.c $(filter-out kernel/run/% kernel/plan/% kernel/mce/mce_count.c,$(MACHINE_SRC)) \
            boot/uefi/efi_map.c kernel/console/scancode.c kernel/device/fw_cfg.c \
            tools/badram/input.c tests/host/panic.c \
            $(filter-out tests/fuzz/fuzz_% tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c))

# tests/fuzz/ports comes first: its arch/cpuid.h and arch/io.h are those that kernel/device/fw_cfg.c finds.
FUZZ_INCLUDE := -Itests/fuzz/ports -Itests/fuzz -isystem $(EFI_INCLUDE) \
                -isystem $(EFI_INCLUDE)/x86_64 -DGNU_EFI_USE_MS_ABI
FUZZ_CFLAGS   = $(FUZZ_INCLUDE) -std=gnu17 -O1 -g -Ikernel -I. -DOKRAM_VERSION='"$(VERSION)"' -MMD -MP \
                $(SAN)

# Warnings are gcc's.
FUZZ_CLANG   := clang -w

$(FUZZ)/replay/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(WARN) $(FUZZ_CFLAGS) -c $< -o $@

$(FUZZ)/clang/%.o: %.c
	@mkdir -p $(@D)
	$(FUZZ_CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -c $< -o $@

$(FUZZ)/replay/libfuzzed.a: $$(patsubst %.c,$(FUZZ)/replay/%.o,$$(FUZZ_SRC)) ; @rm -f $@; ar rcs $@ $^
$(FUZZ)/clang/libfuzzed.a: $$(patsubst %.c,$(FUZZ)/clang/%.o,$$(FUZZ_SRC)) ; @rm -f $@; ar rcs $@ $^

$(FUZZ)/replay/%: $(FUZZ)/replay/tests/fuzz/fuzz_%.o $(FUZZ)/replay/tests/fuzz/replay.o \
                  $(FUZZ)/replay/libfuzzed.a
	$(CC) $(SAN) $^ -o $@

$(FUZZ)/clang/%: $(FUZZ)/clang/tests/fuzz/fuzz_%.o $(FUZZ)/clang/libfuzzed.a
	$(FUZZ_CLANG) $(SAN) -fsanitize=fuzzer $^ -o $@

fuzz-replay: $(FUZZ_TARGETS:%=$(FUZZ)/replay/%)
fuzz-build: $(FUZZ_TARGETS:%=$(FUZZ)/clang/%)

fuzz: ## every parser under libFuzzer, FUZZ_SECONDS (60) each
	@tools/setup fuzz
	@$(MAKE) -s --no-print-directory -j2 fuzz-build
	@$(BUILD)/venv/bin/python tests/fuzz/fuzz.py $(FUZZ_SECONDS)

# What tests/data/rebuilt, tests/data/broken and the corpus begin with: committed, made again by this.
fuzz-seeds:
	PYTHONPATH=tests python3 -m data.rebuild
	PYTHONPATH=tests:tools python3 -m fuzz.seeds

.PHONY: fuzz fuzz-seeds fuzz-build fuzz-replay
