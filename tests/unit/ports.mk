# SPDX-License-Identifier: MIT
# Drivers on I/O ports that the test plays: its io/ports.h and io/cpuid.h come first.

PORTS_TESTED := arch/nmi console/keyboard io/fw_cfg device/rtc interrupt/unexpected
PORTS_BIN    := $(foreach module,$(PORTS_TESTED),$(BUILD)/unit/$(dir $(module))test_$(notdir $(module)))

$(foreach module,$(PORTS_TESTED),$(eval \
    $(BUILD)/unit/$(dir $(module))test_$(notdir $(module)): $$(wildcard kernel/$(module).c kernel/*/$(module).c)))

# Their waits end by the clock of the fuzz targets.
$(addprefix $(BUILD)/unit/,console/test_keyboard device/test_rtc): tests/fuzz/fake_clock.c
$(addprefix $(BUILD)/unit/,console/test_keyboard device/test_rtc): PORTS_INCLUDE := -Itests/fuzz/devices -Itests/fuzz

$(PORTS_BIN): $(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(PORTS_INCLUDE) $(HOST_CFLAGS) $(UNIT_SAN) $(filter %.c,$^) $(BUILD)/libokram.san.a -lcmocka -o $@

# The local APIC, whose registers are the test's memory and whose clock is the test's.
$(BUILD)/unit/arch/test_lapic: tests/unit/arch/test_lapic.c kernel/cpu/arch/lapic.c
	@mkdir -p $(@D)
	$(CC) -Itests/unit/smbus/played $(HOST_CFLAGS) $(UNIT_SAN) $(filter %.c,$^) -lcmocka -o $@
