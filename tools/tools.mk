# SPDX-License-Identifier: MIT
# Targets for the host: the set-up, the fault-injecting QEMU plugin, okram in QEMU.

include $(wildcard tools/*/*.mk)

PLUGIN      := $(BUILD)/plugin/faultram.so
PLUGIN_OBJ  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/plugin/*.c))

PLUGIN_API   := $(BUILD)/plugin/api_version.h
PLUGIN_CFLAGS = $(HOST_CFLAGS) -fvisibility=hidden -I$(BUILD)/plugin

# Each time: another QEMU may be installed now.
$(PLUGIN_API): tools/plugin/ask_version FORCE
	@mkdir -p $(@D)
	@$< $@

$(BUILD)/tools/plugin/%.o: tools/plugin/%.c $(PLUGIN_API) $(SETTINGS)
	@mkdir -p $(@D)
	$(CC) $(PLUGIN_CFLAGS) -c $< -o $@

$(PLUGIN): $(PLUGIN_OBJ)
	@mkdir -p $(@D)
	$(CC) -shared -pthread $^ -o $@

plugin: $(PLUGIN) ## the fault-injecting QEMU plugin

setup: ## installs what is missing to build, run and test okram
	@tools/setup

# `make run` returns 0: no bad page, 1: bad pages, 2: internal error or stopped. GNU make returns 1 only
# under -q, if a target is not up to date (manual, "How to Run make"), and 2 whenever a recipe fails:
# so this goal runs under -q, where recipes marked + run all the same, and is out of date after a run
# that found bad pages.
BAD_PAGES_FOUND := $(BUILD)/run-found-bad-pages

ifeq ($(MAKECMDGOALS),run)
MAKEFLAGS += --question
endif

run-okram:
	+@rm -f $(BAD_PAGES_FOUND); export MAKEFLAGS=; tools/setup || exit 2; \
	tools/okram run --sample --memory 128M; \
	case $$? in 0) ;; 1) touch $(BAD_PAGES_FOUND) ;; *) exit 2 ;; esac

run: run-okram ## okram in QEMU, in RAM with a few sample faults
	$(if $(wildcard $(BAD_PAGES_FOUND)),@:)

# Where clangd looks for it. The kernel comes first: a file of kernel/core is shown as the kernel has it.
compile_commands.json: ## how each C file is compiled, for clangd: build/compile_commands.json
	@python3 tools/compile_commands.py $(BUILD)/compile_commands.json BUILD=$(BUILD) \
	    $(BUILD)/kernel/linked.elf all host plugin unit coverage-build $(BUILD)/records

debug: setup ## okram in QEMU, stopped at its start, with gdb
	@tools/okram run --debug

.PHONY: plugin setup run run-okram debug compile_commands.json
