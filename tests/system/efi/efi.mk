# SPDX-License-Identifier: MIT
# UEFI programs that system tests boot in place of okram.efi.

# What of the linked file goes into the PE file: gnu-efi's start-up code relocates by .dynamic.
EFI_SECTIONS := .text .data .rodata .dynamic .dynsym .rel* .rela* .reloc

TEST_EFI := $(patsubst tests/system/efi/%.c,$(BUILD)/efi/%.efi,$(wildcard tests/system/efi/*.c))

$(BUILD)/efi/%.efi: tests/system/efi/%.c $(wildcard tests/system/efi/*.h) $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(EFI_CFLAGS) $(or $(TEST_STACK),-fno-stack-protector) -fpic -c $< -o $(@:.efi=.o)
	$(LD) -nostdlib -shared -Bsymbolic -z nocombreloc -z noexecstack -z muldefs --no-undefined \
	    -T $(EFI_LIB)/elf_x86_64_efi.lds $(EFI_LIB)/crt0-efi-x86_64.o $(@:.efi=.o) $(TEST_OBJ) \
	    $(EFI_LIB)/libefi.a $(EFI_LIB)/libgnuefi.a -o $(@:.efi=.so)
	$(OBJCOPY) $(EFI_SECTIONS:%=-j '%') --target efi-app-x86_64 --subsystem=10 $(@:.efi=.so) $@

# With the guard's own sources.
SMASH_OBJ := $(call efi_obj,boot/guard/attempt.c boot/uefi/stack_guard.c \
                 kernel/core/lib/fmt.c kernel/core/lib/string.c,,uefi)
$(BUILD)/efi/smash.efi: TEST_STACK := $(EFI_STACK)
$(BUILD)/efi/smash.efi: TEST_OBJ := $(SMASH_OBJ)
$(BUILD)/efi/smash.efi: $(SMASH_OBJ)

plugin: $(TEST_EFI)
