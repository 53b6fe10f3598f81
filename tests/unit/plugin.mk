# SPDX-License-Identifier: MIT
# The plugin's faults, without QEMU.

PLUGIN_SAN := $(patsubst %,$(BUILD)/host/tools/plugin/%.san.o,config faults ram)

$(filter $(BUILD)/unit/plugin/%,$(UNIT_BIN)): $(BUILD)/unit/%: tests/unit/%.c $(PLUGIN_SAN)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SAN) $< $(PLUGIN_SAN) -lcmocka -o $@
