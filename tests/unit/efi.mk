# SPDX-License-Identifier: MIT
# The one file of the UEFI loader that includes gnu-efi's headers and can be tested without firmware.

EFI_HOST := -isystem $(EFI_INCLUDE) -isystem $(EFI_INCLUDE)/x86_64 -DGNU_EFI_USE_MS_ABI

$(BUILD)/unit/boot/test_efi_map: tests/unit/boot/test_efi_map.c boot/uefi/efi_map.c \
                                 $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(EFI_HOST) $(SAN) $(filter-out %.h,$^) -lcmocka -o $@
