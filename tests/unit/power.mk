# SPDX-License-Identifier: MIT
# Power off, on I/O ports that the test plays: its io/ports.h comes first.

$(BUILD)/unit/machine/test_power: tests/unit/machine/test_power.c kernel/hw/machine/power.c \
                                  kernel/cpu/arch/tsc.c
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(SAN) $(filter %.c,$^) -lcmocka -o $@
