# SPDX-License-Identifier: MIT
# The clock of date and time, on I/O ports that the test plays: its arch/io.h comes first.

$(BUILD)/unit/device/test_rtc: tests/unit/device/test_rtc.c kernel/device/rtc.c
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(SAN) $(filter %.c,$^) -lcmocka -o $@
