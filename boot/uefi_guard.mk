# SPDX-License-Identifier: MIT
# okram-guard.efi: the driver that masks bad pages at each boot, for 64-bit firmware. Of the loader's
# sources it has those that it needs.

GUARD_SRC  := $(wildcard boot/guard/*.c boot/guard/patrol/*.c) \
              $(addprefix boot/uefi/,efi_map.c file.c firmware_tables.c load_options.c measure.c \
                  own_folder.c secure_boot.c stack_guard.c variables.c x86_64/library_call.c) \
              kernel/io/libc.c
GUARD_OBJ  := $(call efi_obj,$(GUARD_SRC),,uefi)

$(BUILD)/uefi/okram-guard.elf: $(GUARD_OBJ) $(BUILD)/uefi/libcore.a boot/pe/efi.ld boot/uefi_guard.mk
	$(EFI_LINK_64) $(GUARD_OBJ) $(BUILD)/uefi/libcore.a $(EFI_LIB)/libefi.a -o $@

$(BUILD)/okram-guard.efi: $(BUILD)/uefi/okram-guard.elf $(BUILD)/sbat/okram-guard.csv $(ELF_TO_PE)
	python3 $(ELF_TO_PE) --driver $< $(BUILD)/sbat/okram-guard.csv $@
