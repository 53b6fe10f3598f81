# SPDX-License-Identifier: MIT
# The coverage bench: host code around the kernel's own objects. Their code gets a section of its
# own, to be found by the bench; not one byte of it changes.

COVERAGE         := $(BUILD)/coverage
COVERAGE_SRC     := $(filter-out %/fault_trace.c,$(wildcard tests/coverage/*.c))
COVERAGE_OBJ     := $(COVERAGE_SRC:%.c=$(BUILD)/nopie/%.o) $(BUILD)/nopie/tests/host/panic.o
COVERAGE_SHIPPED := $(patsubst %.c,$(BUILD)/kernel/%.o,$(wildcard kernel/core/march/sweep/*.c kernel/core/lib/*.c))
COVERAGE_BEHIND  := scrambler encryption controller side-cache
COVERAGE_MODEL   := $(patsubst %.c,$(BUILD)/host/%.san.o,$(filter-out %/coverage.c,$(COVERAGE_SRC)))

# Linked at low addresses, which the kernel's code model can reach in a process.
$(BUILD)/nopie/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(COMMON) -fno-pie -c $< -o $@

# One object that exports its interfaces only: libc's memcpy stays libc's.
$(COVERAGE)/shipped.o: $(COVERAGE_SHIPPED)
	@mkdir -p $(@D)
	ld -r -o $@.whole $^
	$(OBJCOPY) --wildcard --keep-global-symbol='*_*' --rename-section .text=okram_text \
	    --rename-section .text.unlikely=okram_text $@.whole $@

$(COVERAGE)/coverage: $(COVERAGE_OBJ) $(COVERAGE)/shipped.o
	$(CC) -no-pie $^ -lZydis -o $@

$(COVERAGE)/fault_trace: $(addprefix $(BUILD)/nopie/tests/,coverage/fault_trace.o coverage/dram.o \
                             coverage/primitive.o host/panic.o)
	@mkdir -p $(@D)
	$(CC) -no-pie $^ -o $@

$(BUILD)/libcoverage.san.a: $(COVERAGE_MODEL) ; @rm -f $@; ar rcs $@ $^

# A shorter stem than the general rule's, and so preferred.
$(BUILD)/unit/coverage/%: tests/unit/coverage/%.c $(BUILD)/libcoverage.san.a $(BUILD)/libokram.san.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(UNIT_SAN) $(filter-out %.h,$^) -lcmocka -o $@

coverage-build: $(COVERAGE)/coverage $(COVERAGE)/fault_trace

coverage: setup ## which faults each memory test detects at the DRAM pins, with the code that ships; TEST=NAME,...: these alone
	@$(MAKE) -s --no-print-directory coverage-build
	@$(if $(TEST),,echo "coverage: half an hour on two quiet cores; TEST=NAME,... does these tests or levels alone.")
	@$(COVERAGE)/coverage $(TEST:%=tests=%) table=$(BUILD)/coverage.md
	@for b in $(COVERAGE_BEHIND); do echo; \
	    $(COVERAGE)/coverage isa=sse2 behind=$$b $(TEST:%=tests=%) table=$(BUILD)/$$b.md || exit 1; done

coverage-docs: coverage ## the same, and puts the tables into docs/coverage.md; with TEST, these rows
	@$(COVERAGE)/coverage marches=$(BUILD)/marches
	@$(BUILD)/venv/bin/python tests/coverage/docs_table.py $(if $(TEST),--rows) --marches=$(BUILD)/marches \
	    coverage=$(BUILD)/coverage.md $(foreach b,$(COVERAGE_BEHIND),$(b)=$(BUILD)/$(b).md)

.PHONY: coverage-build coverage coverage-docs
