# SPDX-License-Identifier: MIT
# Drivers on I/O ports that the test plays: its arch/io.h and arch/cpuid.h come first.

PORTS_TESTED := arch/nmi console/keyboard device/fw_cfg device/rtc interrupt/pic
PORTS_BIN    := $(foreach module,$(PORTS_TESTED),$(BUILD)/unit/$(dir $(module))test_$(notdir $(module)))

$(foreach module,$(PORTS_TESTED),$(eval \
    $(BUILD)/unit/$(dir $(module))test_$(notdir $(module)): kernel/$(module).c))

$(BUILD)/unit/console/test_keyboard: kernel/console/scancode.c

$(PORTS_BIN): $(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(SAN) $(filter %.c,$^) $(BUILD)/libokram.san.a -lcmocka -o $@
