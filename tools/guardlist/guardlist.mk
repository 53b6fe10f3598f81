# SPDX-License-Identifier: MIT
# build/guardlist: the guard's list of kernel/guardlist as a host program, for `okram guard`.

GUARDLIST_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/guardlist/*.c)) \
                 $(BUILD)/tools/badram/message.o

$(BUILD)/tools/guardlist/%.o: tools/guardlist/%.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -c $< -o $@

$(BUILD)/guardlist: $(GUARDLIST_OBJ) $(BUILD)/libokram.a
	$(CC) $(HOST_CFLAGS) $(GUARDLIST_OBJ) $(BUILD)/libokram.a -o $@
