# SPDX-License-Identifier: MIT
# okram.efi and okram-ia32.efi: our loader for 64-bit and for 32-bit firmware, of the same sources but
# for boot/uefi/x86_64 and boot/uefi/ia32, with gnu-efi's library, and with the kernel inside.

# Where the distribution keeps gnu-efi (Debian's places).
EFI_INCLUDE := /usr/include/efi
EFI_LIB     := /usr/lib
EFI_LIB_32  := /usr/lib32

# The guard value is a variable, which stack_guard.c sets.
EFI_STACK  := -fstack-protector-strong -mstack-protector-guard=global
EFI_COMMON := $(FREE) $(EFI_STACK) -fpie -fshort-wchar -fvisibility=hidden -isystem $(EFI_INCLUDE)

EFI_CFLAGS := $(COMMON) $(EFI_COMMON) -mno-red-zone -DGNU_EFI_USE_MS_ABI \
              -isystem $(EFI_INCLUDE)/x86_64

# UEFI aligns 64-bit members to 8 bytes, and so does the 64-bit kernel.
EFI_CFLAGS_32 := $(COMMON) $(EFI_COMMON) -m32 -march=i686 -malign-double -isystem $(EFI_INCLUDE)/ia32

EFI_SRC := $(wildcard $(addprefix boot/uefi/,*.c diagnosis/*.c guard_install/*.c last_report/*.c menu/*.c \
             network/*.c)) \
           $(LOADER_SRC) boot/guard/memory.c kernel/io/serial.c

# What 64-bit firmware alone has: the guard, variables that the kernel writes, and so signatures and
# the report of the last run and the guided diagnosis.
# BearSSL has no 32-bit package here; boot/uefi/ia32/unsigned.c stands in.
EFI_ONLY_64 := $(wildcard $(addprefix boot/uefi/,diagnosis/*.c guard_install/*.c last_report/*.c x86_64/*.c) kernel/core/formats/sign/*.c) \
               boot/guard/memory.c boot/uefi/menu/menu_speed.c boot/uefi/sign_key.c

# Objects of the C files of $(1) and the assembly of $(2) in the folder $(3).
efi_obj = $(patsubst %.c,$(BUILD)/$(3)/%.o,$(1)) $(patsubst %.asm,$(BUILD)/$(3)/%.asm.o,$(2))

EFI_ASM    := boot/uefi/kernel_blob.asm kernel/core/display/font_data.asm
EFI_OBJ    := $(call efi_obj,$(EFI_SRC) $(wildcard boot/uefi/x86_64/*.c) kernel/io/libc.c, \
                  $(EFI_ASM) $(wildcard boot/uefi/x86_64/*.asm),uefi)
EFI_OBJ_32 := $(call efi_obj,$(filter-out $(EFI_ONLY_64),$(EFI_SRC)) $(wildcard boot/uefi/ia32/*.c boot/long_mode/*.c), \
                  $(EFI_ASM) $(wildcard boot/uefi/ia32/*.asm),uefi32)

# What neither a loader nor the guard calls, half of kernel/core, is not compiled for them. Of these
# archives only what is used is linked.
EFI_CORE    := $(filter-out $(addprefix kernel/core/,advice/% faults/alias/% faults/badram/% formats/qr/% march/external/% \
                   march/rows/% march/sweep/line_ops_avx% measurement/bandwidth/% \
                   measurement/findings/% measurement/picture/% tables/acpi/% tables/cpudata/% tables/machine_facts/%),$(CORE_SRC))
EFI_CORE_32 := $(filter-out $(EFI_ONLY_64) $(addprefix kernel/core/,diagnosis/% march/% tables/spd/%),$(EFI_CORE)) \
               $(addprefix kernel/core/march/sweep/,data.c data_sequence.c march.c tests.c)

$(BUILD)/uefi/libcore.a: $(call efi_obj,$(EFI_CORE),,uefi) $(BEARSSL_OBJ) ; @rm -f $@; ar rcs $@ $^
$(BUILD)/uefi32/libcore.a: $(call efi_obj,$(EFI_CORE_32),,uefi32) ; @rm -f $@; ar rcs $@ $^

$(BUILD)/uefi/%.o: %.c $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(EFI_CFLAGS) $(ISA) -c $< -o $@

$(BUILD)/uefi32/%.o: %.c $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(EFI_CFLAGS_32) $(EFI_ISA_32) -c $< -o $@

$(BUILD)/uefi32/boot/load/page_march.o: EFI_ISA_32 := -msse2

EFI_NASM := $(NASM) -w+error -D KERNEL_BLOB='"$(BUILD)/okram.copy"' -I $(BUILD)/viewer/ -I $(BUILD)/

$(BUILD)/uefi/%.asm.o: %.asm $(SETTINGS)
	@mkdir -p $(@D)
	$(EFI_NASM) -f elf64 -MD $(@:.o=.d) -MP -o $@ $<

$(BUILD)/uefi32/%.asm.o: %.asm $(SETTINGS)
	@mkdir -p $(@D)
	$(EFI_NASM) -f elf32 -MD $(@:.o=.d) -MP -o $@ $<

$(BUILD)/uefi/boot/uefi/kernel_blob.asm.o $(BUILD)/uefi32/boot/uefi/kernel_blob.asm.o: \
    $(BUILD)/okram.copy
$(BUILD)/uefi/boot/uefi/x86_64/viewer.asm.o: $(BUILD)/viewer/head.html $(BUILD)/viewer/end.html

# muldefs: some gnu-efi releases bring memcpy and memset of their own; the first, ours, is taken.
EFI_LINK := $(LD) -pie --no-dynamic-linker -z norelro -z noexecstack -z muldefs -z text \
                --hash-style=sysv --build-id=none --fatal-warnings -T boot/pe/efi.ld

# Calls of BearSSL go by boot/uefi/x86_64/library_call.c.
EFI_LINK_64 := $(EFI_LINK) -m elf_x86_64 --wrap=hmac_sha256

$(BUILD)/uefi/okram.elf: $(EFI_OBJ) $(BUILD)/uefi/libcore.a boot/pe/efi.ld boot/uefi.mk
	$(EFI_LINK_64) $(EFI_OBJ) $(BUILD)/uefi/libcore.a $(EFI_LIB)/libefi.a -o $@

$(BUILD)/uefi32/okram.elf: $(EFI_OBJ_32) $(BUILD)/uefi32/libcore.a boot/pe/efi.ld boot/uefi.mk
	$(EFI_LINK) -m elf_i386 $(EFI_OBJ_32) $(BUILD)/uefi32/libcore.a $(EFI_LIB_32)/libefi.a -o $@

ELF_TO_PE := tools/elf_to_pe.py

# What shim reads: the program's generation (boot/pe/sbat/), where its vendor is found (shim refuses
# an empty field), and lines that a distribution adds.
SBAT_URL  ?= none
SBAT_MORE ?=

$(BUILD)/sbat/%.csv: boot/pe/sbat/%.csv $(SBAT_MORE) $(SETTINGS)
	@mkdir -p $(@D)
	sed 's/@VERSION@/$(VERSION)/; s|@URL@|$(SBAT_URL)|' $< | cat - $(SBAT_MORE) > $@

$(BUILD)/okram.efi: $(BUILD)/uefi/okram.elf $(BUILD)/sbat/okram.csv $(ELF_TO_PE)
	python3 $(ELF_TO_PE) $< $(BUILD)/sbat/okram.csv $@

$(BUILD)/okram-ia32.efi: $(BUILD)/uefi32/okram.elf $(BUILD)/sbat/okram.csv $(ELF_TO_PE)
	python3 $(ELF_TO_PE) $< $(BUILD)/sbat/okram.csv $@
