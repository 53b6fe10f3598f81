# What serves a person at a host: the set-up, the fault-injecting QEMU plugin, and okram in QEMU.

include $(wildcard tools/*/*.mk)

PLUGIN      := $(BUILD)/plugin/faultram.so
PLUGIN_OBJ  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/plugin/*.c))

# QEMU 9 and later load plugins of version 2 and later only, earlier ones know 1.
PLUGIN_API   = $(shell qemu-system-x86_64 --version | \
                 sed -n 's/.*version \([0-9]*\).*/\1/p' | awk '{ print ($$1 < 9) ? 1 : 2 }')

$(BUILD)/tools/plugin/%.o: tools/plugin/%.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -fvisibility=hidden -DPLUGIN_API_VERSION=$(PLUGIN_API) -c $< -o $@

$(PLUGIN): $(PLUGIN_OBJ)
	@mkdir -p $(@D)
	$(CC) -shared -pthread $^ -o $@

plugin: $(PLUGIN) ## the fault-injecting QEMU plugin

setup: ## installs what is missing to build, run and test okram
	@tools/setup

# make returns 2 for any recipe that fails; what tools/okram returned is in make's message.
run: setup ## okram in QEMU, in RAM with a few sample holes
	@tools/okram run --sample

debug: setup ## okram in QEMU, stopped at its start, with gdb
	@tools/okram run --debug

.PHONY: plugin setup run debug
