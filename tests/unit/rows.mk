# SPDX-License-Identifier: MIT
# The search for rows, and the kinds of faults, on machines whose maps were published.

DRAM_MAPS   := $(patsubst %.c,$(BUILD)/host/%.san.o,$(wildcard tools/plugin/dram*.c))
ROW_MACHINE := $(BUILD)/host/tests/host/row_machine.san.o $(DRAM_MAPS)

UNIT_LIB_rows := $(ROW_MACHINE) $(BUILD)/libokram.san.a
UNIT_LIB_decoder := $(ROW_MACHINE) $(BUILD)/libokram.san.a
UNIT_LIB_kind := $(DRAM_MAPS) $(BUILD)/libokram.san.a
