# SPDX-License-Identifier: MIT
# The SMBus, on a controller and modules that the tests play: io/ports.h and arch/tsc.h come first.

SMBUS_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/smbus/test_*.c))

$(SMBUS_TESTS): $(BUILD)/unit/%: tests/unit/%.c tests/unit/smbus/sim.h $(wildcard kernel/hw/smbus/*.c) \
                kernel/hw/device/pci.c $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports -Itests/fuzz/devices $(HOST_CFLAGS) $(SAN) -Itests/unit \
	    $(filter %.c %.a,$^) -lcmocka -o $@
