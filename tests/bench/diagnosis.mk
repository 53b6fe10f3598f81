# SPDX-License-Identifier: MIT
# The guided diagnosis on simulated machines.

DIAGNOSIS_BENCH_SRC := $(wildcard tests/bench/diagnosis_*.c)

$(BUILD)/bench/diagnosis_bench: $(DIAGNOSIS_BENCH_SRC:%.c=$(BUILD)/host/%.o) $(BUILD)/libokram.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $^ -lm -o $@

bench-diagnosis: $(BUILD)/bench/diagnosis_bench ## is the bad module found, and by how many restarts? 10,000 machines
	@$(BUILD)/bench/diagnosis_bench $(BENCH_OPTIONS)

diagnosis-docs: $(BUILD)/bench/diagnosis_bench ## the same, and puts its table into docs/diagnosis.md
	@$(BUILD)/bench/diagnosis_bench > $(BUILD)/diagnosis.md; cat $(BUILD)/diagnosis.md
	@python3 tests/coverage/docs_table.py --document=docs/diagnosis.md diagnosis=$(BUILD)/diagnosis.md

.PHONY: bench-diagnosis diagnosis-docs
