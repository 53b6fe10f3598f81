# What the system tests need beside the image: a plugin that makes a CPU late.

$(BUILD)/plugin/late_cpu.so: tests/system/plugin/late_cpu.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -fvisibility=hidden -DPLUGIN_API_VERSION=$(PLUGIN_API) -shared $< -o $@

plugin: $(BUILD)/plugin/late_cpu.so

include tests/system/linux/linux.mk
