# SPDX-License-Identifier: MIT
# build/badram: the cover of kernel/core/faults/badram and the lines of kernel/core/faults/bootcfg as a host program, for `tools/okram badram`.

BADRAM_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/badram/*.c))

$(BUILD)/tools/badram/%.o: tools/badram/%.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -c $< -o $@

$(BUILD)/badram: $(BADRAM_OBJ) $(BUILD)/libokram.a
	$(CC) $(HOST_CFLAGS) $(BADRAM_OBJ) $(BUILD)/libokram.a -o $@
