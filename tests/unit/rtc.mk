# SPDX-License-Identifier: MIT
# The clock of date and time, on I/O ports that the test plays: its arch/io.h comes first.

$(BUILD)/unit/arch/test_rtc: tests/unit/arch/test_rtc.c kernel/arch/rtc.c
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(SAN) $(filter %.c,$^) -lcmocka -o $@
