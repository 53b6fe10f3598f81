# SPDX-License-Identifier: MIT
# The search for rows, on machines whose maps were published.

ROW_MACHINE := $(patsubst %.c,$(BUILD)/host/%.san.o,tests/host/row_machine.c $(wildcard tools/plugin/dram*.c))

UNIT_LIB_rows := $(ROW_MACHINE) $(BUILD)/libokram.san.a
