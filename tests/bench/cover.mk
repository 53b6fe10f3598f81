# SPDX-License-Identifier: MIT
# The cover compared with the published methods and the optimum.

COVER_BENCH_SRC := $(wildcard tests/bench/cover_*.c)

$(BUILD)/bench/cover_bench: $(COVER_BENCH_SRC:%.c=$(BUILD)/host/%.o) $(BUILD)/libokram.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $^ -o $@

bench-cover: ## good pages lost by the cover, next to the published methods and the optimum
	@$(MAKE) -s --no-print-directory $(BUILD)/bench/cover_bench
	@$(BUILD)/bench/cover_bench

.PHONY: bench-cover
