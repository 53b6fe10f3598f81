# SPDX-License-Identifier: MIT
# Drivers on I/O ports that the test plays: its arch/io.h comes first.

PORTS_TESTED := arch/nmi device/rtc interrupt/pic
PORTS_BIN    := $(foreach module,$(PORTS_TESTED),$(BUILD)/unit/$(dir $(module))test_$(notdir $(module)))

$(foreach module,$(PORTS_TESTED),$(eval \
    $(BUILD)/unit/$(dir $(module))test_$(notdir $(module)): kernel/$(module).c))

$(PORTS_BIN): $(BUILD)/unit/%: tests/unit/%.c
	@mkdir -p $(@D)
	$(CC) -Itests/unit/machine/ports $(HOST_CFLAGS) $(SAN) $(filter %.c,$^) -lcmocka -o $@
