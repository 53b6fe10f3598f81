# SPDX-License-Identifier: MIT
# What serves a person at a host: the set-up, the fault-injecting QEMU plugin, and okram in QEMU.

include $(wildcard tools/*/*.mk)

PLUGIN      := $(BUILD)/plugin/faultram.so
PLUGIN_OBJ  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/plugin/*.c))

PLUGIN_API   := $(BUILD)/plugin/api_version.h
PLUGIN_CFLAGS = $(HOST_CFLAGS) -fvisibility=hidden -I$(BUILD)/plugin

# Another QEMU may be installed than the one that the plugins were built for: asked each time.
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

# `make run` exits like okram: 0 no hole, 1 holes, 2 failed, and 2 for okram's 3, stopped. For a failed
# recipe make itself only knows 2; its 1 means, under -q, that something was left to do. So this goal runs under -q, in which
# recipes marked + are run all the same, and after a run that found holes something is left to do.
HOLES_FOUND := $(BUILD)/run-found-holes

ifeq ($(MAKECMDGOALS),run)
MAKEFLAGS += --question
endif

run-okram:
	+@rm -f $(HOLES_FOUND); export MAKEFLAGS=; tools/setup || exit 2; \
	tools/okram run --sample --memory 128M; \
	case $$? in 0) ;; 1) touch $(HOLES_FOUND) ;; *) exit 2 ;; esac

run: run-okram ## okram in QEMU, in RAM with a few sample holes
	$(if $(wildcard $(HOLES_FOUND)),@:)

debug: setup ## okram in QEMU, stopped at its start, with gdb
	@tools/okram run --debug

.PHONY: plugin setup run run-okram debug
