# SPDX-License-Identifier: MIT
# The serial port, on I/O ports that the test plays: its arch/io.h comes first.

$(BUILD)/unit/console/test_serial: tests/unit/console/test_serial.c kernel/console/serial.c
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(SAN) $(filter %.c,$^) -lcmocka -o $@
