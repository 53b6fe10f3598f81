# SPDX-License-Identifier: MIT
# okram.efi: our loader, on gnu-efi, with the kernel inside.

# Where the distribution keeps gnu-efi (Debian's places).
EFI_INCLUDE := /usr/include/efi
EFI_LIB     := /usr/lib

EFI_CFLAGS := $(COMMON) $(FREE) -fpic -fshort-wchar -fvisibility=hidden -mno-red-zone \
              -DGNU_EFI_USE_MS_ABI -isystem $(EFI_INCLUDE) -isystem $(EFI_INCLUDE)/x86_64

EFI_SRC := $(wildcard boot/uefi/*.c) $(LOADER_SRC) kernel/console/serial.c kernel/lib/fmt.c
EFI_OBJ := $(EFI_SRC:%.c=$(BUILD)/uefi/%.o) $(BUILD)/uefi/boot/uefi/kernel_blob.asm.o

# The parser of options, and what it needs: of the archive only that is linked.
EFI_PURE := $(patsubst %.c,$(BUILD)/uefi/%.o,$(filter-out $(EFI_SRC),$(wildcard \
                $(addprefix kernel/,$(addsuffix /*.c,options bootcfg badram log save usbdata lib)))))

$(BUILD)/uefi/libpure.a: $(EFI_PURE) ; @rm -f $@; ar rcs $@ $^

# What of the linked file goes into the PE file: gnu-efi's start-up code relocates by .dynamic.
EFI_SECTIONS := .text .data .rodata .dynamic .dynsym .rel* .rela* .reloc

$(BUILD)/uefi/%.o: %.c $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(EFI_CFLAGS) -c $< -o $@

$(BUILD)/uefi/boot/uefi/kernel_blob.asm.o: boot/uefi/kernel_blob.asm $(BUILD)/okram.copy
	@mkdir -p $(@D)
	$(NASM) -f elf64 -w+error -D KERNEL_BLOB='"$(BUILD)/okram.copy"' -o $@ $<

# muldefs: some gnu-efi releases bring memcpy and memset of their own; the first, ours, is taken.
$(BUILD)/uefi/okram.so: $(EFI_OBJ) $(BUILD)/uefi/libpure.a boot/uefi.mk
	$(LD) -nostdlib -shared -Bsymbolic -z nocombreloc -z noexecstack -z muldefs --no-undefined \
	    --fatal-warnings -T $(EFI_LIB)/elf_x86_64_efi.lds $(EFI_LIB)/crt0-efi-x86_64.o $(EFI_OBJ) \
	    $(BUILD)/uefi/libpure.a $(EFI_LIB)/libefi.a $(EFI_LIB)/libgnuefi.a -o $@

$(BUILD)/okram.efi: $(BUILD)/uefi/okram.so
	$(OBJCOPY) $(EFI_SECTIONS:%=-j '%') --target efi-app-x86_64 --subsystem=10 $< $@
