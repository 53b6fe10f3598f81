# SPDX-License-Identifier: MIT
# Power off and the power button, on I/O ports that the test plays: its io/ports.h comes first.

POWER_TESTS := $(addprefix $(BUILD)/unit/machine/,test_power test_power_button)

$(BUILD)/unit/machine/test_power: kernel/hw/device/pci.c

$(POWER_TESTS): $(BUILD)/unit/%: tests/unit/%.c kernel/hw/machine/power.c kernel/cpu/arch/tsc.c \
                $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(UNIT_SAN) $(filter %.c,$^) $(filter %.a,$^) -lcmocka -o $@
