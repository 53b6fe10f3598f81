# SPDX-License-Identifier: MIT
# Banks and rows by timing, on published machines and on this host.

ROWS_BENCH_OBJ := $(patsubst %.c,$(BUILD)/host/%.o,tests/bench/rows_bench.c tests/host/row_machine.c \
                      $(wildcard tools/plugin/dram*.c))

$(BUILD)/bench/rows_bench: $(ROWS_BENCH_OBJ) $(BUILD)/libokram.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $^ -lm -o $@

bench-rows: ## are banks and rows found by timing, on published machines and on this host? As root; BENCH_OPTIONS
	@$(MAKE) -s --no-print-directory $(BUILD)/bench/rows_bench
	@$(BUILD)/bench/rows_bench $(BENCH_OPTIONS)

.PHONY: bench-rows
