# SPDX-License-Identifier: MIT
# KCS, on I/O ports that the test plays: its io/ports.h comes first.

$(BUILD)/unit/bmc/test_kcs: tests/unit/bmc/test_kcs.c kernel/hw/bmc/kcs.c kernel/cpu/arch/tsc.c
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(UNIT_SAN) $(filter %.c,$^) -lcmocka -o $@
