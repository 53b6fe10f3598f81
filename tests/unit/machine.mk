# SPDX-License-Identifier: MIT
# What a machine is made of, for the host: not pure folders, but modules that touch no hardware.
# Each has a unit test of its name; what else boot/load uses is here, too. What includes
# gnu-efi is in efi.mk.

MACHINE_FOLDERS := calibration clock cpus cover ecc facts faults mce memory plan progress saver self \
                   testing verdict
MACHINE_TESTED  := $(wildcard $(MACHINE_FOLDERS:%=tests/unit/%/test_*.c))
BOOT_TESTED     := $(filter-out $(EFI_TESTED:%=%.c),$(patsubst tests/unit/boot/test_%,%, \
                       $(wildcard tests/unit/boot/test_*.c)))
MACHINE_SRC := $(wildcard $(patsubst tests/unit/%,kernel/*/%,$(subst /test_,/,$(MACHINE_TESTED)))) \
               $(sort $(wildcard boot/load/*.c $(BOOT_TESTED:%=boot/*/%) $(BOOT_TESTED:%=boot/*/*/%)))
MACHINE_OBJ := $(MACHINE_SRC:%.c=$(BUILD)/host/%.san.o)
MACHINE_LIB := $(BUILD)/libmachine.san.a $(BUILD)/libokram.san.a

$(BUILD)/libmachine.san.a: $(MACHINE_OBJ) ; @rm -f $@; ar rcs $@ $^

$(foreach folder,$(MACHINE_FOLDERS) boot,$(eval UNIT_LIB_$(folder) := $(MACHINE_LIB)))
