# SPDX-License-Identifier: MIT
# The modules of the UEFI loader and the guard that include gnu-efi's headers and have a unit test of
# their name.

USES_EFI   := $(shell grep -l '<efi' $(wildcard boot/guard/*.[hc] boot/uefi/*.[hc] boot/uefi/*/*.[hc]))
EFI_TESTED := $(filter $(patsubst tests/unit/boot/test_%.c,%,$(wildcard tests/unit/boot/test_*.c)), \
                  $(sort $(basename $(notdir $(USES_EFI)))))
EFI_HOST   := -isystem $(EFI_INCLUDE) -isystem $(EFI_INCLUDE)/x86_64 -DGNU_EFI_USE_MS_ABI \
              -fshort-wchar
EFI_SAN    := $(patsubst %.c,$(BUILD)/host/%.san.o, \
                  $(foreach m,$(EFI_TESTED) changes image state variables,\
                      $(wildcard boot/guard/$(m).c boot/uefi/$(m).c boot/uefi/*/$(m).c)))

$(EFI_SAN): $(BUILD)/host/%.san.o: %.c $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(EFI_HOST) $(SAN) -c $< -o $@

$(BUILD)/libefi.san.a: $(EFI_SAN) ; @rm -f $@; ar rcs $@ $^

EFI_LINKS = $(BUILD)/libefi.san.a $(MACHINE_LIB)
$(BUILD)/unit/boot/test_last_report_vars: EFI_LINKS := $(BUILD)/libokram.san.a
$(BUILD)/unit/boot/test_last_report_files: EFI_LINKS := $(patsubst %,$(BUILD)/host/boot/uefi/%.san.o,file last_report/report_text) \
                                                        $(BUILD)/libokram.san.a

# Of these the whole firmware is played.
$(addprefix $(BUILD)/unit/boot/test_,add_found guard_menu install source): EFI_FAKE := tests/fuzz/fake_uefi.c
$(BUILD)/unit/boot/test_menu: EFI_FAKE := $(BUILD)/host/font_data.o
$(BUILD)/unit/boot/test_menu: $(BUILD)/host/font_data.o

$(patsubst %,$(BUILD)/unit/boot/test_%,$(EFI_TESTED) handover_map_buffer last_report_files \
                                        last_report_vars): $(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libefi.san.a \
                                           $$(MACHINE_LIB)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(EFI_HOST) $(UNIT_SAN) -Itests/unit $< $(EFI_FAKE) $(EFI_LINKS) -lcmocka -o $@
