# SPDX-License-Identifier: MIT
# What the system tests need in addition to the image: plugins that start a CPU late, hang it or slow it down.

TEST_PLUGINS := $(patsubst tests/system/plugin/%.c,$(BUILD)/plugin/%.so,\
                 $(wildcard tests/system/plugin/*.c))

$(TEST_PLUGINS): $(BUILD)/plugin/%.so: tests/system/plugin/%.c tests/system/plugin/one_cpu.h $(BUILD)/plugin/api_version.h
	@mkdir -p $(@D)
	$(CC) $(PLUGIN_CFLAGS) -shared -pthread $< -lm -o $@

plugin: $(TEST_PLUGINS)

include tests/system/linux/linux.mk
include tests/system/efi/efi.mk
include tests/system/loaders/loaders.mk
