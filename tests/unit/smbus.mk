# SPDX-License-Identifier: MIT
# The SMBus, and the inventory that it gives, on a controller and modules that the tests play:
# io/ports.h, io/cpuid.h and arch/tsc.h come first.

SMBUS_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/smbus/test_*.c)) \
               $(BUILD)/unit/machine/test_inventory

$(BUILD)/unit/machine/test_inventory: kernel/hw/machine/inventory.c kernel/hw/device/cpu_sensor.c

$(SMBUS_TESTS): $(BUILD)/unit/%: tests/unit/%.c tests/unit/smbus/sim.h $(wildcard kernel/hw/smbus/*.c) \
                kernel/hw/device/pci.c $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports -Itests/unit/smbus/played $(HOST_CFLAGS) $(UNIT_SAN) -Itests/unit \
	    $(filter %.c,$^) $(filter %.a,$^) -lcmocka -o $@
