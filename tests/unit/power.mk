# SPDX-License-Identifier: MIT
# Power off and the power button, on I/O ports that the test plays: its io/ports.h comes first.

POWER_TESTS := $(addprefix $(BUILD)/unit/machine/,test_power test_power_button)

$(BUILD)/unit/machine/test_power: kernel/hw/machine/power.c kernel/hw/device/pci_byte.c kernel/hw/device/pci.c
$(BUILD)/unit/machine/test_power_button: kernel/hw/machine/power_button.c

$(POWER_TESTS): $(BUILD)/unit/%: tests/unit/%.c kernel/hw/machine/acpi_mode.c kernel/cpu/arch/tsc.c \
                $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(UNIT_SAN) $(filter %.c,$^) $(filter %.a,$^) -lcmocka -o $@
