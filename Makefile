# SPDX-License-Identifier: MIT
# okram: `make help` lists the targets. Every output goes to build/.

VERSION := $(shell cat VERSION)
BUILD   := build

CC      := gcc
NASM    := nasm
OBJCOPY := objcopy

# The tests start the command some hundred times: it must not be compiled each time.
unexport PYTHONDONTWRITEBYTECODE

# A header is included by its folder and name, as "acpi/srat.h": those folders' names are unique.
# kernel/core and kernel/io are for the loaders, the guard and the host, too; the rest of kernel/ is
# the kernel's alone.
CORE_INCLUDE   := -I. -Ikernel -Ikernel/core \
                  $(patsubst %,-Ikernel/core/%,tables march faults measurement formats)
KERNEL_INCLUDE := $(patsubst %,-Ikernel/%,cpu hw show layout run)

WARN    := -Wall -Wextra -Werror -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes \
           -Wvla -Wno-unused-parameter
# A row of a table may leave its last members 0; clang alone warns of that inside of designated members.
IS_CLANG  := $(findstring clang,$(shell $(CC) --version))
WARN      += $(if $(IS_CLANG),-Wno-missing-field-initializers)
# A loop of stores stays one: gcc asks for that by a flag, clang does it where -ffreestanding is.
NO_IDIOMS := $(if $(IS_CLANG),,-fno-tree-loop-distribute-patterns)

COMMON  := -std=gnu17 -O2 -g $(WARN) $(CORE_INCLUDE) -DOKRAM_VERSION='"$(VERSION)"' -MMD -MP
FREE    := -ffreestanding -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables
KERNEL_CFLAGS := $(COMMON) $(KERNEL_INCLUDE) $(FREE) -fno-pic -fno-pie -mcmodel=kernel -mno-red-zone \
                 -mno-avx $(NO_IDIOMS)
# HOST_FLAGS: a distribution's own, for what runs on the host.
HOST_FLAGS    ?=
# FIELD_DOCS: with what the fields of records mean (lib/fields.h).
HOST_CFLAGS   := $(COMMON) $(KERNEL_INCLUDE) -DFIELD_DOCS -fPIC $(HOST_FLAGS)
# -O1: half the time of -O2 to compile, with the same checks. -g1 saves another sixth; line numbers stay.
SAN     := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# A test's own code runs once and briefly: compiling it at -O1 takes three times as long.
# A test that includes a source, for what that keeps to itself, is linked with what it calls alone.
UNIT_PART = -ffunction-sections -Wl,--gc-sections
UNIT_SAN  = $(SAN) -O0 -Wno-psabi $(UNIT_PART)

# No privileged instruction, no fixed address: built for the kernel, the loaders and the host.
CORE_SRC := $(sort $(wildcard kernel/core/lib/*.c kernel/core/diagnosis/*.c kernel/core/advice/*.c kernel/core/display/*.c kernel/core/*/*/*.c))
PURE_SRC := $(CORE_SRC) $(sort $(wildcard boot/guard/patrol/*.c))

# HMAC-SHA-256 of the distribution's BearSSL, which kernel/core/formats/sign/hmac.c alone uses: what it needs of the
# package's library, as one object.
BEARSSL_LIB := $(abspath $(shell $(CC) -print-file-name=libbearssl.a))
BEARSSL_OBJ := $(BUILD)/bearssl.o

$(BEARSSL_OBJ): $(BEARSSL_LIB) $(SETTINGS)
	@mkdir -p $(@D)
	$(LD) -r -u br_sha256_vtable -u br_hmac_key_init -u br_hmac_init -u br_hmac_update -u br_hmac_out \
	    -o $@ $(BEARSSL_LIB)

# QR codes by the distribution's libqrcodegen, which kernel/core/formats/qr/qr.c alone uses.
QR_LIB := $(abspath $(shell $(CC) -print-file-name=libqrcodegen.a))
QR_OBJ := $(BUILD)/qrcodegen.o

$(QR_OBJ): $(QR_LIB) $(SETTINGS)
	@mkdir -p $(@D)
	$(LD) -r -u qrcodegen_encodeBinary -u qrcodegen_getSize -u qrcodegen_getModule -o $@ $(QR_LIB)

# Of other people's libraries, what the pure code uses.
LIBRARY_OBJ := $(BEARSSL_OBJ) $(QR_OBJ)

# Instruction sets that one file alone may use; everything else is plain x86-64.
%/line_ops_avx2.o %/line_ops_avx2.san.o: ISA := -mavx2
%/line_ops_avx512.o %/line_ops_avx512.san.o: ISA := -mavx512f -mprefer-vector-width=512
%/stream_avx512.o %/stream_avx512.san.o: ISA := -ffp-contract=off

.DEFAULT_GOAL := all
.SECONDEXPANSION:
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PRODUCTS := $(addprefix $(BUILD)/,okram.iso okram.elf okram.lkrn okram.0 okram.efi okram-ia32.efi \
                okram-guard.efi)

all: $(PRODUCTS) ## the image, the kernel, the loaders, the guard, and what the network starts

help: ## this list
	@sed -n 's/^\([a-z][a-z_.-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

# --- what all objects depend on -------------------------------------------------------------------

# The version, the tools and the flags: a file that is written only if one has changed.
SETTINGS      := $(BUILD)/settings
SETTINGS_TEXT  = $(VERSION) $(CC) $(NASM) $(OBJCOPY) $(KERNEL_CFLAGS) $(HOST_CFLAGS) $(SAN) \
                 $(STUB_CFLAGS) $(EFI_CFLAGS) $(EFI_CFLAGS_32) $(SBAT_URL) $(SBAT_MORE)

write_if_changed = @mkdir -p $(@D); echo '$(subst ',,$(1))' > $@.$$$$; \
    cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@

$(SETTINGS): FORCE
	$(call write_if_changed,$(SETTINGS_TEXT))

include $(sort $(wildcard */*.mk))

# --- the pure code, for the host -------------------------------------------------------------------

HOST_OBJ  := $(PURE_SRC:%.c=$(BUILD)/host/%.o) $(BUILD)/host/tests/host/panic.o
SAN_OBJ   := $(HOST_OBJ:.o=.san.o)

$(BUILD)/host/%.o: %.c $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(ISA) -c $< -o $@

$(BUILD)/host/%.san.o: %.c $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SAN) $(ISA) -c $< -o $@

$(BUILD)/libokram.a: $(HOST_OBJ) $(LIBRARY_OBJ) ; @rm -f $@; ar rcs $@ $^
$(BUILD)/libokram.san.a: $(SAN_OBJ) $(LIBRARY_OBJ) ; @rm -f $@; ar rcs $@ $^

format: ## clang-format over all C, ruff over all Python
	$(BUILD)/venv/bin/clang-format -i $$(git ls-files '*.c' '*.h')
	$(BUILD)/venv/bin/ruff format --quiet

clean: ## removes build/
	rm -rf $(BUILD)

# Not of build/distros and build/deb, where other checkouts are, of the QEMU in build/qemu, nor of what clang
# builds.
-include $(shell find $(BUILD) \( $(patsubst %,-path $(BUILD)/% -o,distros deb qemu) -path $(BUILD)/clang \) -prune \
                      -o -name '*.d' -print 2>/dev/null)

.PHONY: all help format clean FORCE
