# SPDX-License-Identifier: MIT
# The serial port, on I/O ports that the test plays: its io/ports.h comes first.

$(BUILD)/unit/io/test_serial: tests/unit/io/test_serial.c kernel/io/serial.c
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(UNIT_SAN) $(filter %.c,$^) -lcmocka -o $@
