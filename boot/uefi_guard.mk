# SPDX-License-Identifier: MIT
# okram-guard.efi: the driver that masks bad pages at each boot, for 64-bit firmware. Of the loader's
# sources it has those that it needs.

GUARD_SRC  := $(wildcard boot/guard/*.c kernel/guardlist/*.c kernel/patrol/*.c) \
              $(addprefix boot/uefi/,efi_map.c file.c firmware_tables.c load_options.c measure.c \
                  own_folder.c secure_boot.c stack_guard.c variables.c) \
              kernel/firmware/smbios.c kernel/sign/hmac.c boot/uefi/x86_64/library_call.c \
              $(addprefix kernel/options/,number.c words.c) \
              $(addprefix kernel/sweep/,data.c data_sequence.c engine.c line_ops.c line_ops_sse2.c) \
              $(addprefix kernel/sweep/,line_pipeline.c march.c) \
              $(addprefix kernel/lib/,crc32c.c date.c fmt.c sort.c string.c warn.c)
GUARD_OBJ  := $(call efi_obj,$(GUARD_SRC),,uefi)

$(BUILD)/uefi/okram-guard.elf: $(GUARD_OBJ) boot/pe/efi.ld $(BEARSSL_OBJ) boot/uefi_guard.mk
	$(EFI_LINK_64) $(GUARD_OBJ) $(BEARSSL_OBJ) $(EFI_LIB)/libefi.a -o $@

$(BUILD)/okram-guard.efi: $(BUILD)/uefi/okram-guard.elf $(BUILD)/sbat/okram-guard.csv $(BUILD)/elf_to_pe
	$(BUILD)/elf_to_pe --driver $< $(BUILD)/sbat/okram-guard.csv $@
