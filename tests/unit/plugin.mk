# SPDX-License-Identifier: MIT
# The plugin's faults, without QEMU.

PLUGIN_SAN := $(patsubst %.c,$(BUILD)/host/%.san.o,\
                $(filter-out %/plugin.c,$(wildcard tools/plugin/*.c)))

$(filter $(BUILD)/unit/plugin/%,$(UNIT_BIN)): $(BUILD)/unit/%: tests/unit/%.c $(PLUGIN_SAN)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(UNIT_SAN) $< $(PLUGIN_SAN) -lcmocka -o $@
