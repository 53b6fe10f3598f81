# SPDX-License-Identifier: MIT
# Watchdogs, on I/O ports and in configuration space that the tests play: their io/ports.h comes first.

WATCHDOG_TESTS := $(addprefix $(BUILD)/unit/watchdog/,test_tco test_fch test_wdat_run test_ipmi)

$(BUILD)/unit/watchdog/test_tco: kernel/hw/watchdog/tco.c kernel/hw/device/pci.c kernel/cpu/arch/tsc.c
$(BUILD)/unit/watchdog/test_fch: kernel/hw/watchdog/fch.c kernel/hw/device/pci.c kernel/cpu/arch/tsc.c
$(BUILD)/unit/watchdog/test_wdat_run: kernel/hw/watchdog/wdat_run.c
$(BUILD)/unit/watchdog/test_ipmi: kernel/hw/watchdog/ipmi.c

$(WATCHDOG_TESTS): $(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(UNIT_SAN) -Itests/unit $(filter %.c,$^) $(filter %.a,$^) \
	    -lcmocka -pthread -o $@
