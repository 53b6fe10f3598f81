# SPDX-License-Identifier: MIT
# The kinds of faults that okram names, beside those that were made in a model of DRAM.

KINDS       := $(BUILD)/kinds
KINDS_MODEL := $(patsubst %.c,$(BUILD)/host/%.o,$(wildcard tests/kinds/faulty*.c tests/kinds/kinds_run.c) \
                   $(wildcard tools/plugin/dram*.c))

$(KINDS)/kinds_bench: $(BUILD)/host/tests/kinds/kinds_bench.o $(KINDS_MODEL) $(BUILD)/libokram.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $^ -lm -o $@

kinds-build: $(KINDS)/kinds_bench

bench-kinds: ## which kinds okram names for 10,000 faults of known kinds, into docs/kinds.md
	@$(MAKE) -s --no-print-directory $(KINDS)/kinds_bench
	@$(KINDS)/kinds_bench table=$(BUILD)/kinds.md $(KINDS_OPTIONS)
	@python3 tests/kinds/kinds_table.py $(BUILD)/kinds.md

.PHONY: kinds-build bench-kinds
