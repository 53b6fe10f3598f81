# SPDX-License-Identifier: MIT
# Fuzz targets: one for each reader of bytes from outside. Built by gcc to replay the corpus, by clang
# with libFuzzer to look for more, and by clang to see what was reached.

FUZZ         := $(BUILD)/fuzz
FUZZ_SECONDS ?= 60
FUZZ_ALL     := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_PYTHON  := $(shell sed -n 's/^def \(py_[a-z]*\)(content):/\1/p' tests/fuzz/host_targets.py)
FUZZ_TARGETS ?= $(FUZZ_ALL) $(FUZZ_PYTHON)
FUZZ_KINDS   := replay clang coverage

# What targets link: the parsers of the pure folders, the loaders and the host, and a driver whose
# I/O ports its target emulates. Expanded late, for MACHINE_SRC comes after this file.
FUZZ_SRC  = $(filter-out kernel/core/march/%,$(CORE_SRC)) $(patsubst %,kernel/core/march/sweep/%.c,march data data_sequence tests) \
            $(filter-out boot/stop/% kernel/run/% kernel/layout/plan/% kernel/hw/mce/error_count.c,$(MACHINE_SRC)) \
            boot/uefi/efi_map.c kernel/show/console/keyboard.c kernel/io/fw_cfg.c \
            $(wildcard kernel/hw/usb/*.c) \
            $(FUZZ_EFI_SRC) $(patsubst %,tools/badram/%.c,arguments check input print simulate) \
            tests/host/panic.c \
            $(filter-out tests/fuzz/fuzz_% tests/fuzz/replay.c tests/fuzz/fake_machine.c,$(wildcard tests/fuzz/*.c))

# What of the UEFI loader has texts of 16-bit characters.
FUZZ_EFI_SRC := $(patsubst %,boot/uefi/guard_install/%.c,changes image install state) \
                boot/guard/memory.c boot/uefi/file.c boot/uefi/variables.c
FUZZ_EFI     := $(patsubst %.c,%.o,$(FUZZ_EFI_SRC) tests/fuzz/fake_uefi.c tests/fuzz/fuzz_guard_install.c)
$(foreach kind,$(FUZZ_KINDS),$(addprefix $(FUZZ)/$(kind)/,$(FUZZ_EFI))): FUZZ_MORE := -fshort-wchar

# tests/fuzz/ports comes first: its io/cpuid.h and io/ports.h are those that kernel/io/fw_cfg.c finds.
FUZZ_INCLUDE := -Itests/fuzz/ports -Itests/fuzz -isystem $(EFI_INCLUDE) \
                -isystem $(EFI_INCLUDE)/x86_64 -DGNU_EFI_USE_MS_ABI
FUZZ_CFLAGS   = $(FUZZ_INCLUDE) -std=gnu17 -O1 -g $(CORE_INCLUDE) $(KERNEL_INCLUDE) -DOKRAM_VERSION='"$(VERSION)"' -MMD -MP \
                $(SAN) $(FUZZ_MORE)

# Drivers of devices, whose registers, clock and memory are played, too.
FUZZ_DEVICES := $(patsubst %.c,%.o,$(wildcard kernel/hw/usb/*.c tests/fuzz/fake_*.c)) \
                kernel/hw/device/pci.o kernel/hw/dma/bus_masters.o tests/fuzz/fuzz_pci.o tests/fuzz/fuzz_usb.o
$(foreach kind,$(FUZZ_KINDS),$(addprefix $(FUZZ)/$(kind)/,$(FUZZ_DEVICES))): FUZZ_INCLUDE := -Itests/fuzz/devices $(FUZZ_INCLUDE)

# The SMBus, whose ports are of 8 bits.
FUZZ_SMBUS := $(patsubst %,kernel/hw/smbus/%.o,smbus eeprom)
$(foreach kind,$(FUZZ_KINDS),$(addprefix $(FUZZ)/$(kind)/,$(FUZZ_SMBUS) tests/fuzz/fuzz_smbus.o)): \
    FUZZ_INCLUDE := -Itests/unit/machine/ports -Itests/fuzz/devices $(FUZZ_INCLUDE)

# The PS/2 keyboard's controller, and the management controller, too.
FUZZ_KEYBOARD := kernel/show/console/keyboard.o tests/fuzz/fuzz_scancode.o
$(foreach kind,$(FUZZ_KINDS),$(addprefix $(FUZZ)/$(kind)/,$(FUZZ_KEYBOARD))): \
    FUZZ_INCLUDE := -Itests/unit/machine/ports -Itests/fuzz/devices $(FUZZ_INCLUDE)
FUZZ_BMC := $(patsubst %,kernel/hw/%.o,bmc/kcs watchdog/ipmi)
$(foreach kind,$(FUZZ_KINDS),$(addprefix $(FUZZ)/$(kind)/,$(FUZZ_BMC) tests/fuzz/fuzz_bmc.o)): \
    FUZZ_INCLUDE := -Itests/unit/machine/ports -Itests/fuzz/devices $(FUZZ_INCLUDE)

# What computes more than it compares with what is in the input: libFuzzer sees no comparison there.
FUZZ_NUMBERS := $(patsubst %.c,%.o,$(wildcard kernel/core/faults/badram/*.c kernel/core/faults/bootcfg/*.c kernel/core/faults/log/*.c)) \
                kernel/core/lib/fmt.o tests/fuzz/line_checks.o tests/fuzz/fuzz_cover.o
$(addprefix $(FUZZ)/clang/,$(FUZZ_NUMBERS)): FUZZ_TRACES := -fno-sanitize-coverage=trace-cmp

# Warnings are gcc's.
FUZZ_CLANG    := clang -w
FUZZ_COVERAGE := -fprofile-instr-generate -fcoverage-mapping

# Without the sanitizers, which have their own lines.
$(FUZZ)/coverage/%.o: SAN :=

$(FUZZ)/replay/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(WARN) $(FUZZ_CFLAGS) -c $< -o $@

$(FUZZ)/clang/%.o: %.c
	@mkdir -p $(@D)
	$(FUZZ_CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link $(FUZZ_TRACES) -c $< -o $@

$(FUZZ)/coverage/%.o: %.c
	@mkdir -p $(@D)
	$(FUZZ_CLANG) $(FUZZ_CFLAGS) $(FUZZ_COVERAGE) -c $< -o $@

# gcc's objects of the pure folders are those of the unit tests.
FUZZ_SHARED  = $(if $(filter replay,$(1)),$(filter $(CORE_SRC),$(FUZZ_SRC)))
fuzz_objects = $(patsubst %.c,$(BUILD)/host/%.san.o,$(FUZZ_SHARED)) \
               $(patsubst %.c,$(FUZZ)/$(1)/%.o,$(filter-out $(FUZZ_SHARED),$(FUZZ_SRC)))

$(foreach kind,$(FUZZ_KINDS),$(eval $(FUZZ)/$(kind)/libfuzzed.a: \
    $$$$(call fuzz_objects,$(kind)) $(LIBRARY_OBJ) ; @rm -f $$@; ar rcs $$@ $$^))

$(FUZZ)/replay/%: $(FUZZ)/replay/tests/fuzz/fuzz_%.o $(FUZZ)/replay/tests/fuzz/replay.o \
                  $(FUZZ)/replay/libfuzzed.a
	$(CC) $(SAN) $(filter %.o,$^) $(filter %.a,$^) -o $@

$(FUZZ)/clang/%: $(FUZZ)/clang/tests/fuzz/fuzz_%.o $(FUZZ)/clang/libfuzzed.a
	$(FUZZ_CLANG) $(SAN) -fsanitize=fuzzer $(filter %.o,$^) $(filter %.a,$^) -o $@

$(FUZZ)/coverage/%: $(FUZZ)/coverage/tests/fuzz/fuzz_%.o $(FUZZ)/coverage/tests/fuzz/replay.o \
                    $(FUZZ)/coverage/libfuzzed.a
	$(FUZZ_CLANG) $(FUZZ_COVERAGE) $(filter %.o,$^) $(filter %.a,$^) -o $@

# PCI, as it is for one target and as another plays it.
$(foreach kind,$(FUZZ_KINDS), \
    $(eval $(FUZZ)/$(kind)/pci: $(FUZZ)/$(kind)/kernel/hw/device/pci.o $(FUZZ)/$(kind)/kernel/hw/dma/bus_masters.o) \
    $(eval $(FUZZ)/$(kind)/smbus: $(addprefix $(FUZZ)/$(kind)/,$(FUZZ_SMBUS))) \
    $(eval $(FUZZ)/$(kind)/bmc: $(addprefix $(FUZZ)/$(kind)/,$(FUZZ_BMC))) \
    $(eval $(FUZZ)/$(kind)/usb: $(FUZZ)/$(kind)/tests/fuzz/fake_machine.o))

$(foreach kind,$(FUZZ_KINDS),$(FUZZ)/$(kind)/framebuffer): $(BUILD)/host/font_data.o

fuzz-replay: $(FUZZ_ALL:%=$(FUZZ)/replay/%)
fuzz-build: $(patsubst %,$(FUZZ)/clang/%,$(filter $(FUZZ_ALL),$(FUZZ_TARGETS)))
fuzz-coverage: $(patsubst %,$(FUZZ)/coverage/%,$(filter $(FUZZ_ALL),$(FUZZ_TARGETS)))

fuzz: ## every reader of foreign bytes under libFuzzer: FUZZ_SECONDS=60 FUZZ_TARGETS="usb pci"
	@tools/setup fuzz
	@$(MAKE) -s --no-print-directory -j2 fuzz-build fuzz-coverage
	@PYTHONPATH=tests:tools $(BUILD)/venv/bin/python -m fuzz.fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# What tests/data/rebuilt, tests/data/broken and the corpus begin with: committed, made again by this.
fuzz-seeds:
	PYTHONPATH=tests python3 -m data.rebuild
	PYTHONPATH=tests:tools python3 -m fuzz.seeds

.PHONY: fuzz fuzz-seeds fuzz-build fuzz-coverage fuzz-replay
